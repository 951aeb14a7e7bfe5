"""How a number is printed: the one module that formats (contract README, "What is shown and what is decided agree").

Every function returns text; a value that is not known is "n/a", never 0. Where a rule compares, it compares the rounded
number that stands here.
"""

from __future__ import annotations

from datetime import timedelta

NOT_KNOWN = "n/a"


def percent(part: int, whole: int) -> str:
    """``percent(11, 20)`` -> "55.0%"; of nothing it is "n/a"."""
    return percent_of(part / whole if whole else None)


def percent_of(rate: float | None) -> str:
    """A rate 0..1 as a percentage with one decimal."""
    return NOT_KNOWN if rate is None else f"{rate * 100:.1f}%"


def score(value: float | None, digits: int = 2) -> str:
    """A score 0..1 with two decimals."""
    return NOT_KNOWN if value is None else f"{value:.{digits}f}"


def composite(value: float | None) -> str:
    """A text-fidelity composite or bound with its four decimals (text-fidelity contract, Aggregate)."""
    return score(value, 4)


def interval(low: float | None, high: float | None) -> str:
    """An interval of rates: "34.2–74.2%"."""
    return NOT_KNOWN if low is None or high is None else f"{low * 100:.1f}–{high * 100:.1f}%"


def count(number: int, one: str, many: str | None = None) -> str:
    """ "1 entry", "2 entries", "12,000 entries"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def money(dollars: float | None) -> str:
    """A cost in US dollars; an unknown one is "n/a", not $0."""
    if dollars is None:
        return NOT_KNOWN
    return f"${dollars:,.2f}" if dollars >= 0.01 or dollars == 0 else f"${dollars:.4f}"


def size(number: int) -> str:
    """Bytes for people: "834 B", "12.1 kB", "3.4 MB"."""
    value = float(number)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def span(length: timedelta) -> str:
    """A length of time in its largest unit: "40 s", "12 min", "6 h", "3 d"."""
    seconds = max(0, int(length.total_seconds()))
    for unit, size_ in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size_:
            return f"{seconds // size_} {unit}"
    return f"{seconds} s"
