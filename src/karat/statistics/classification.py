"""Means over labels, with their influence functions: balanced accuracy and macro F1."""

import numpy as np

from karat.statistics._checks import Floats, Integers


def macro_recall(table: Integers) -> tuple[float, Floats]:
    """Balanced accuracy: the mean over gold labels of the share predicted rightly, and its influence function.

    mean over i of r_i = n_ii / n_i.; one more item in cell i, j moves it by ([i = j] - r_i) / n_i. / K, with K labels.

    table: k x k counts, gold labels in rows, predicted ones in columns, in one order. Labels without gold items are
    left out. Returns the figure in [0, 1], and a k x k array whose mean over the items is 0.

    >>> macro_recall(np.array([[3, 1], [1, 1]]))[0]
    0.625

    Source: Brodersen et al. 2010, "The balanced accuracy and its posterior distribution", ICPR; the influence is that
    of a mean of ratios.
    """
    rows = table.sum(axis=1)
    present = rows > 0
    recalls = np.divide(np.diag(table), rows, out=np.zeros(len(table)), where=present)
    scale = np.divide(1.0, rows * present.sum(), out=np.zeros(len(table)), where=present)
    influence: Floats = (np.eye(len(table)) - recalls[:, None]) * scale[:, None]
    return float(recalls[present].mean()), influence


def macro_f1(table: Integers) -> tuple[float, Floats]:
    """The mean over gold labels of F1 = 2 tp / (2 tp + fp + fn), and its influence function.

    F_k = 2 n_kk / (n_k. + n_.k); one more item in cell i, j moves F_k by (2 [i = j = k] - F_k ([i = k] + [j = k])) /
    (n_k. + n_.k).

    table: k x k counts, gold labels in rows, predicted ones in columns, in one order. The mean is over labels that gold
    has; a predicted label that gold never has is a wrong answer, not one more label. Otherwise a single stray
    prediction would take 1 / K of the figure away. Returns the figure in [0, 1], and a k x k array whose mean over the
    items is 0.

    >>> round(macro_f1(np.array([[3, 1, 0], [1, 1, 0], [0, 0, 0]]))[0], 12)
    0.625

    Source: Opitz and Burst 2019, "Macro F1 and Macro F1", arXiv:1911.03347, the mean of F1 over labels. Departure:
    labels without gold items are left out.
    """
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    present = np.flatnonzero(rows)
    influence, values = np.zeros(table.shape), []
    for label in present:
        whole = rows[label] + columns[label]
        f1 = 2 * table[label, label] / whole
        own = np.zeros(table.shape)
        own[label, :] -= f1
        own[:, label] -= f1
        own[label, label] += 2
        influence += own / whole / len(present)
        values.append(f1)
    return float(np.mean(values)), influence
