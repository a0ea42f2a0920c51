"""What functions that ask a model say of their prompts."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from karat.api._asking import Asked

if TYPE_CHECKING:
    from karat.models.prompts import Template


def noted(asked: Asked, *notes: str) -> Asked:
    """What came of asking, with further notes before its own."""
    return replace(asked, notes=(*notes, *asked.notes))


def unseen(templates: "Mapping[str, Template]", unused: Collection[str] = ()) -> list[str]:
    """A note for each of a user's prompts that leaves out what Karat's has. unused: values that there are none of."""
    from karat.models.prompts import left_out

    found = {
        one.name: [value for value in left_out(one, name) if value not in unused] for name, one in templates.items()
    }
    return [
        f"the prompt {name} has no place for {', '.join(values)}, which the model thus does not see"
        for name, values in found.items()
        if values
    ]
