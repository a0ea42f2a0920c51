"""GLAD and MACE, as crowd-kit has them."""

import warnings
from typing import Literal

import numpy as np

from karat.evaluations.agreement.coded import Coded
from karat.figures.cells import Floats
from karat.text.models import extra

Package = Literal["glad", "mace"]


def crowd_probabilities(coded: Coded, method: Package, seed: int) -> Floats:
    """Items x labels: how probable each is. GLAD knows how hard items are, MACE who guesses.

    seed: of the beginnings of MACE. Raises MissingError without crowd-kit.
    """
    with extra("crowd", method.upper()):
        import pandas as pd
        from crowdkit.aggregation import GLAD, MACE
    frame = pd.DataFrame(
        dict(zip(("task", "worker", "label"), (coded.items, coded.annotators, coded.labels), strict=True))
    )
    model = GLAD() if method == "glad" else MACE(random_state=seed)
    with warnings.catch_warnings():  # what it asks of pandas and numpy is its own concern
        warnings.simplefilter("ignore")
        found = model.fit_predict_proba(frame)
    probabilities = np.zeros((len(coded.item_names), len(coded.label_names)))
    probabilities[np.ix_(found.index.to_numpy(), found.columns.to_numpy().astype(np.int64))] = found.to_numpy()
    return probabilities
