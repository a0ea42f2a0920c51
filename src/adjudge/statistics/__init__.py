"""Statistics of counts: intervals, agreement, comparison, planning, ranking, shrinkage."""
