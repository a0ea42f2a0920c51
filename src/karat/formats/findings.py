"""What is wrong with an input, collected while it is read: the first messages, and a count of all."""

from dataclasses import dataclass, field

from karat.errors import SHOWN, DataError


@dataclass(slots=True)
class Findings:
    """Problems found so far.

    total: how many. rows: how many rows are left out because of them; values: how many values count as missing.
    """

    messages: list[str] = field(default_factory=list)
    total: int = 0
    rows: int = 0
    values: int = 0

    def add(self, message: str, count: int = 1) -> None:
        """One message that stands for `count` problems."""
        if len(self.messages) < SHOWN:
            self.messages.append(message)
        self.total += count

    def settle(self, *, drop: bool, unit: str = "pair") -> list[str]:
        """Raise DataError where anything is wrong; with `drop`, a warning that counts what was left out.

        unit: what rows are called.
        """
        if self.total and not drop:
            raise DataError(self.messages, self.total)
        found = []
        if self.rows:
            were = f"invalid {unit} was" if self.rows == 1 else f"invalid {unit}s were"
            found.append(f"{self.rows:,} {were} dropped")
        if self.values:
            count = "value counts" if self.values == 1 else "values count"
            found.append(f"{self.values:,} invalid {count} as missing")
        return [f"{', '.join(found)}, such as: {self.messages[0]}"] if found else []
