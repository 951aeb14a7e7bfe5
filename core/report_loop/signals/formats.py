"""Format consistency: one format for each kind of figure, and no leftovers (report-loop contract, Four dimensions)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.report_loop.signals.blocks import Block
from core.report_loop.signals.figures import Figure, figures, power_of
from core.report_loop.signals.orphans import orphans
from core.report_loop.signals.remark import Remark

_FOUR = "1000, four digits"


@dataclass(frozen=True, slots=True)
class FormatReport:
    """``passed`` is True only when there was text and nothing was found; None when there was no text at all.

    ``styles`` tells for each kind of figure how often each format stands in the draft.
    """

    passed: bool | None
    findings: tuple[Remark, ...]
    styles: dict[str, dict[str, int]]


def format_consistency(blocks: Iterable[Block]) -> FormatReport:
    """Every figure that does not follow its kind's prevailing format, and every orphan, with its place (pure)."""
    listed = list(blocks)
    found = _comparable([(block, figure) for block in listed for figure in figures(block.text)])
    counts: dict[str, Counter[str]] = {}
    for _, figure in found:
        counts.setdefault(_group(figure), Counter())[figure.style] += 1
    remarks = [*_strays(found, counts), *(remark for block in listed for remark in orphans(block))]
    passed = not remarks if any(block.text for block in listed) or remarks else None
    styles = {kind: dict(styles.most_common()) for kind, styles in counts.items()}
    return FormatReport(passed, tuple(sorted(remarks, key=lambda remark: remark.line)), styles)


def _comparable(found: list[tuple[Block, Figure]]) -> list[tuple[Block, Figure]]:
    """Those that show a format. Four digits without a mark ("4500") say nothing until others are written "4,500"."""
    marked = any(figure.kind == "grouping" and len(figure.text) >= 5 and _four_grouped(figure) for _, figure in found)
    kept: list[tuple[Block, Figure]] = []
    for block, figure in found:
        if figure.style == _FOUR:
            figure = replace(figure, style="1000" if marked else "")
        if figure.style:
            kept.append((block, figure))
    return kept


def _four_grouped(figure: Figure) -> bool:
    return figure.style not in ("1000", _FOUR) and sum(char.isdigit() for char in figure.text.split(".")[0]) == 4


def _group(figure: Figure) -> str:
    """What is compared with what: scales only within the same power of ten."""
    return f"scale of 10^{power_of(figure.style[1:])}" if figure.kind == "scale" else figure.kind


def _strays(found: list[tuple[Block, Figure]], counts: dict[str, Counter[str]]) -> Iterator[Remark]:
    # The most frequent format is the draft's; of equals the one that stands first (Counter keeps that order).
    prevailing = {kind: styles.most_common(1)[0] for kind, styles in counts.items()}
    for block, figure in found:
        usual, times = prevailing[_group(figure)]
        if figure.style != usual:
            reason = f"{figure.kind} written as {figure.style}; the draft writes {usual} ({times}×)"
            yield Remark(figure.kind, figure.text, reason, block.line, block.node)
