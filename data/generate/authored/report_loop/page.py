"""The report template of the demo: a heading, figures, a paragraph, a chart drawn as SVG, a table."""

from __future__ import annotations

from html import escape
from typing import Any

_CSS = (
    "body{font:16px/1.5 Georgia,serif;color:#1b2430;max-width:46rem;margin:2rem auto}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.35rem .5rem;border-bottom:1px solid #d5dbe1}"
    ".kpis{display:flex;gap:2rem}.kpis b{display:block;font-size:1.5rem}figcaption{color:#4d5864}"
)


def report(title: str, period: str, data: dict[str, Any]) -> str:
    """The whole page as HTML; bound values carry ``data-bind``, what a reviser may touch ``data-edit``."""
    kpis = "\n".join(
        f'<p>{escape(name)} <b id="kpi-{key}" data-bind="{key}">{escape(value)}</b></p>'
        for key, name, value in data["kpis"]
    )
    rows = "\n".join(
        f'<tr><td>{escape(region)}</td><td data-bind="{key}">{escape(value)}</td></tr>'
        for key, region, value in data["table"]
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{escape(title)}</title>
<style>{_CSS}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>Prepared for the board · <span data-bind="period">{escape(period)}</span></p>
<div class="kpis">
{kpis}
</div>
<h2>What happened</h2>
<p id="summary" data-edit="summary">{data["summary"]}</p>
<figure id="chart">
{chart(data["bars"], data["chart_label"])}
<figcaption data-edit="caption">{escape(data["caption"])}</figcaption>
</figure>
<h2>By region</h2>
<table id="regions">
<tr><th scope="col">Region</th><th scope="col">Revenue</th></tr>
{rows}
</table>
<h2>Outlook</h2>
<p id="outlook" data-edit="outlook">{data["outlook"]}</p>
</body>
</html>
"""


def chart(bars: list[tuple[str, float]], label: str) -> str:
    """Vertical bars with their names beneath; the label is what a screen reader says."""
    top = max(value for _, value in bars)
    width = 420 // len(bars)
    parts = [
        f'<rect x="{10 + number * width}" y="{140 - round(120 * value / top)}" width="{width - 16}" '
        f'height="{round(120 * value / top)}" fill="#2a6f97"/>'
        f'<text x="{10 + number * width}" y="158" font-size="13">{escape(name)}</text>'
        for number, (name, value) in enumerate(bars)
    ]
    return f'<svg viewBox="0 0 440 165" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
