"""Language models that a user names: their requirements, and the errors if they cannot be loaded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adjudge.errors import MissingError, OptionError
from adjudge.version import NAME


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Turns a failed import inside into a MissingError that names the extra to install.

    name: of the extra. what: the feature that needs the package, such as "BERTScore".

    >>> with extra("embeddings", "BERTScore"):
    ...     import torch_for_nobody
    Traceback (most recent call last):
    adjudge.errors.MissingError: BERTScore needs torch_for_nobody
    fix:   pip install "adjudge[embeddings]"
    """
    try:
        yield
    except ImportError as error:
        raise MissingError(f"{what} needs {error.name or error}", fix=f'pip install "{NAME}[{name}]"') from None


def is_folder(model: str) -> bool:
    """Whether a model is a local folder, for which nothing is downloaded, or the name of a published one.

    Raises OptionError if it can only be a folder but does not exist.
    """
    if Path(model).is_dir():
        return True
    if not model.strip() or model.startswith(("~", ".")) or Path(model).is_absolute() or Path(model).exists():
        raise OptionError(
            f'model "{model}": expected a folder or the name of a Hugging Face model; there is no such folder'
        )
    return False


@contextmanager
def loading(model: str) -> Iterator[bool]:
    """Yields whether the model is a local folder; turns any error inside into an OptionError of one line.

    From a local folder on, no progress bar is shown.
    """
    folder = is_folder(model)
    try:
        if folder:
            from transformers.utils import logging

            logging.disable_progress_bar()
        yield folder
    except OptionError:
        raise
    except Exception as error:  # noqa: BLE001 - broken files make libraries raise anything
        lines = str(error).split("\n") if str(error) else [type(error).__name__]
        tried = "the folder" if folder else "the name of a Hugging Face model"
        raise OptionError(
            f'model "{model}": expected a model that transformers can load; tried it as {tried}',
            found=lines[0],
            fix="a folder with the model's configuration, weights and tokenizer, or the name of a published model",
        ) from None
