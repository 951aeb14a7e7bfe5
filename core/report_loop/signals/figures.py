"""Numbers, currencies, percentages, dates and periods in running text, each with the format it is written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

FigureKind = Literal["date", "month", "period", "currency", "percentage", "number", "grouping", "decimal mark", "scale"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure as it stands.

    ``style`` is its format in words or by example, "" where it shows none (1, 2026). ``value`` is what it is worth,
    the same text for the same thing in any format (``1234.5``, ``4.2%``, ``2026-04-30``); the kinds grouping, decimal
    mark and scale are aspects of an amount and have none.
    """

    kind: FigureKind
    text: str
    start: int
    style: str
    value: str = ""


_NAMES = (
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sept sep", "october oct", "november nov", "december dec",
)  # fmt: skip
_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_MONTH = "(?P<mn>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_EDGE, _STOP = r"(?<![\w/.-])", r"(?![\w/-]|\.\d)"
_DATES = [
    (style, re.compile(_EDGE + pattern + _STOP, re.IGNORECASE))
    for style, pattern in (
        ("2026-04-30", r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})"),
        ("30/04/2026", r"(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4})"),
        ("30.04.2026", r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
        ("30 April 2026", rf"{_DAY}\s+{_MONTH}\s+(?P<y>\d{{4}})"),
        ("April 30, 2026", rf"{_MONTH}\s+{_DAY},?\s+(?P<y>\d{{4}})"),
        ("April 2026", rf"{_MONTH}\s+(?P<y>\d{{4}})"),
    )
]
_PERIODS = [
    (style, re.compile(rf"(?<!\w){pattern}(?!\w)"))
    for style, pattern in (
        ("Q3 FY26", r"Q(?P<q>[1-4])\s+FY\s?(?P<y>\d{2,4})"),
        ("Q3 2026", r"Q(?P<q>[1-4])\s+(?P<y>\d{4})"),
        ("2026-Q3", r"(?P<y>\d{4})[-\s]?Q(?P<q>[1-4])"),
        ("Q3/2026", r"Q(?P<q>[1-4])[/-](?P<y>\d{2,4})"),
        ("3Q26", r"(?P<q>[1-4])Q(?P<y>\d{2,4})"),
    )
]
_GAP = "'’\u00a0\u202f"
_AMOUNT = rf"\d{{1,3}}(?:[,.{_GAP}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,3}}(?: \d{{3}}){{2,}}(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_SCALES = {"thousand": 3, "k": 3, "K": 3, "million": 6, "mn": 6, "m": 6, "M": 6, "billion": 9, "bn": 9, "B": 9}
_SCALE = r"(?:\s?(?:thousand|million|billion|mn|bn|m|k|M|B|K)(?![\w]))?"
_SYMBOL = r"(?:US\$|NT\$|[$€£¥]|\b(?:USD|EUR|GBP|JPY|CHF|TWD|KRW|CNY)\b)"
_CURRENCY = re.compile(
    rf"(?P<sign>[-−+]?)(?P<before>{_SYMBOL})(?P<gap>\s?)(?P<sign2>[-−]?)(?P<a>{_AMOUNT})(?P<s>{_SCALE})"
    rf"|(?<![\w.,])(?P<sign3>[-−+]?)(?P<a2>{_AMOUNT})(?P<s2>{_SCALE})(?P<gap2>\s?)(?P<after>{_SYMBOL})"
)
_PERCENT = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−+]?)(?P<a>{_AMOUNT})(?P<gap>\s?)(?P<mark>%|percent\b|per\s+cent\b|pct\b)", re.IGNORECASE
)
_NUMBER = re.compile(
    rf"(?<![\w.,/:#{_GAP}])(?<!\w-)(?P<sign>[-−+]?)(?P<a>{_AMOUNT})(?P<s>{_SCALE})(?![\w]|[.,]\d|[/:]\d|-\w)"
)
_GROUPED = re.compile(rf"\d{{1,3}}([,.{_GAP} ])\d{{3}}(?:\1\d{{3}})*(?:[.,]\d+)?")


def figures(text: str) -> list[Figure]:
    """The figures of a text in order; what one kind has taken, no other takes again."""
    free = text
    found: list[Figure] = []
    readers: tuple[Callable[[str], Iterator[Figure]], ...] = (_dates, _periods, _currencies, _percentages, _numbers)
    for reader in readers:
        taken = list(reader(free))
        found += taken
        for figure in taken:
            end = figure.start + len(figure.text)
            free = free[: figure.start] + "\x00" * (end - figure.start) + free[end:]
    return sorted(found, key=lambda figure: figure.start)


def _dates(text: str) -> Iterator[Figure]:
    taken: list[tuple[int, int]] = []
    for style, pattern in _DATES:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            yield _date(style, match)


def _date(style: str, match: re.Match[str]) -> Figure:
    parts = match.groupdict()
    name = (parts.get("mn") or "").rstrip(".")
    month = _MONTHS[name.lower()] if name else int(parts["m"])
    if name and month != 5 and len(name) <= 4 and name.lower() not in ("june", "july"):
        style = style.replace("April", "Apr")
    if "d" not in parts:
        return Figure("month", match[0], match.start(), style, f"{parts['y']}-{month:02d}")
    day = int(parts["d"])
    if "/" in style and month > 12:
        month, day, style = day, month, "04/30/2026"
    elif "/" in style and day <= 12:  # 04/05/2026: nobody can tell which is the month
        style = ""
    return Figure("date", match[0], match.start(), style, f"{parts['y']}-{month:02d}-{day:02d}")


def _periods(text: str) -> Iterator[Figure]:
    for style, pattern in _PERIODS:
        for match in pattern.finditer(text):
            year = match["y"] if len(match["y"]) == 4 else f"20{match['y'][-2:]}"
            yield Figure("period", match[0], match.start(), style, f"{year}-Q{match['q']}")


def _currencies(text: str) -> Iterator[Figure]:
    for match in _CURRENCY.finditer(text):
        leading = match["before"] is not None
        symbol, gap = (match["before"], match["gap"]) if leading else (match["after"], match["gap2"])
        amount, scale = (match["a"], match["s"]) if leading else (match["a2"], match["s2"])
        sign = (match["sign"] or match["sign2"]) if leading else match["sign3"]
        sort = "code" if symbol.isalpha() else "symbol"
        style = f"{sort} {'before' if leading else 'after'} the amount{', spaced' if gap else ''}"
        value = f"{symbol} {_signed(sign, amount)}{_power(scale)}"
        yield Figure("currency", match[0], match.start(), style, value)
        yield from _aspects(match[0], match.start(), amount, scale)


def _percentages(text: str) -> Iterator[Figure]:
    for match in _PERCENT.finditer(text):
        mark = " ".join(match["mark"].lower().split())
        value = f"{_signed(match['sign'], match['a'])}%"
        yield Figure("percentage", match[0], match.start(), f"1{' ' if match['gap'] else ''}{mark}", value)
        yield from _aspects(match[0], match.start(), match["a"], "")


def _numbers(text: str) -> Iterator[Figure]:
    for match in _NUMBER.finditer(text):
        value = f"{_signed(match['sign'], match['a'])}{_power(match['s'])}"
        yield Figure("number", match[0], match.start(), "", value)
        yield from _aspects(match[0], match.start(), match["a"], match["s"])


def _aspects(text: str, start: int, amount: str, scale: str) -> Iterator[Figure]:
    """How an amount is grouped, what its decimal mark is, and how its scale is written."""
    grouped = _GROUPED.fullmatch(amount)
    if grouped and not (grouped[1] in ",." and amount.startswith("0")):
        yield Figure("grouping", text, start, f"1{grouped[1]}000")
    elif re.fullmatch(r"\d{5,}", amount):
        yield Figure("grouping", text, start, "1000")
    elif re.fullmatch(r"\d{4}", amount) and not 1900 <= int(amount) <= 2100:
        yield Figure("grouping", text, start, "1000, four digits")
    mark = re.search(r"([.,])(?:\d{1,2}|\d{4,})$", amount)
    if mark:
        yield Figure("decimal mark", text, start, f"1{mark[1]}5")
    word = scale.strip()
    if word:
        yield Figure("scale", text, start, f"1{scale}")


def power_of(scale: str) -> int:
    """The power of ten that a scale's word stands for ("M" and "million" are both 6), 0 for none."""
    return _SCALES.get(scale.strip(), 0)


def _power(scale: str) -> str:
    return f"e{_SCALES[scale.strip()]}" if scale.strip() else ""


def _signed(sign: str, amount: str) -> str:
    return f"{'-' if sign in ('-', '−') else ''}{_value(amount)}"


def _value(amount: str) -> str:
    """The amount as digits with a point: "1,234.50" and "1'234.5" are both "1234.5"."""
    bare = re.sub(rf"[{_GAP} ]", "", amount)
    grouped = _GROUPED.fullmatch(amount)
    if grouped and grouped[1] in ",.":
        tail = re.search(r"[.,]\d+$", bare)
        decimals = tail[0][1:] if tail and tail[0][0] != grouped[1] else ""
        whole = re.sub(r"[.,]", "", bare[: -len(decimals) - 1] if decimals else bare)
    else:
        whole, _, decimals = bare.replace(",", ".").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole.lstrip('0') or '0'}{'.' + decimals if decimals else ''}"
