"""What the data did: the known change of each metric, out of a small JSON file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Delta:
    """A metric by its names, how much it changed (any unit), and the unit its figures are rounded to (0: exact)."""

    names: tuple[str, ...]
    change: float
    rounding: float = 0.0

    @property
    def direction(self) -> int:
        """1 rising, −1 falling, 0 exactly unchanged."""
        return (self.change > 0) - (self.change < 0)

    @property
    def flat(self) -> bool:
        """True when the change is 0 within the stated rounding: less than half a unit of the last digit shown."""
        return self.change == 0 or abs(self.change) < self.rounding / 2


def read_deltas(value: Any, file: str = "deltas") -> tuple[Delta, ...]:
    """Deltas out of parsed JSON.

    ``{"Revenue": 4.2}``, ``{"Revenue": {"delta": 4.2, "aliases": […], "rounding": 0.1}}``, or a list of
    ``{"metric": …, "delta": …}`` with the same keys.

    Raises BadInput, naming the entry, for a change that is no finite number, a name that stands twice, a bad shape.
    """
    made = tuple(_delta(name, entry, file) for name, entry in _entries(value, file))
    seen: set[str] = set()
    for delta in made:
        for name in delta.names:
            if name.casefold() in seen:
                raise BadInput.of(file, f"metric {name!r} stands twice")
            seen.add(name.casefold())
    return made


def _entries(value: Any, file: str) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping) and isinstance(value.get("metrics"), list):
        value = value["metrics"]
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value):
        for entry in value:
            yield entry.get("metric", entry.get("name")), entry
    else:
        raise BadInput.of(file, "deltas are an object of metrics, or a list of objects with metric and delta")


def _delta(name: Any, entry: Any, file: str) -> Delta:
    if not isinstance(name, str) or not name.strip():
        raise BadInput.of(file, f"a metric needs a name, not {name!r}")
    fields = entry if isinstance(entry, Mapping) else {"delta": entry}
    aliases = fields.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) and alias.strip() for alias in aliases):
        raise BadInput.of(file, f"aliases of {name!r} must be a list of texts")
    change, rounding = (_number(fields.get(key, 0 if key == "rounding" else None), name, key, file)
                        for key in ("delta", "rounding"))  # fmt: skip
    if rounding < 0:
        raise BadInput.of(file, f"rounding of {name!r} must not be negative")
    return Delta(tuple(dict.fromkeys(" ".join(word.split()) for word in (name, *aliases))), change, rounding)


def _number(value: Any, name: str, key: str, file: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise BadInput.of(file, f"{key} of {name!r} is {value!r}, not a number")
    return float(value)
