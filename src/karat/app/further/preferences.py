"""Systems that predict preferences: which labels they give where others are right."""

from karat.app.confusions import confusion

VIEWS = {"Confusion": confusion}
