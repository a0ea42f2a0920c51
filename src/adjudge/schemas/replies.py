"""What became of questions to a model, as files say it beside votes, labels, answers and verdicts."""

ANSWERED = "answered"
UNANSWERED = ("refused", "unparseable", "failed")
STATUSES = (ANSWERED, *UNANSWERED)
"""Each question ends in exactly one of these; only what was answered is a label."""

OUTCOME = "outcome"
"""The column of files that says it."""

REPLY = "reply"
"""The column of tables that says it."""
