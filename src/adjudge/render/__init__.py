"""Display and files of reports, without any computation of metrics."""
