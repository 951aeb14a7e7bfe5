"""The four demo packs: which originals, which renders, what is planted, what verifiers have said so far."""

from __future__ import annotations

from typing import Any

from authored.render_fidelity import decks
from authored.render_fidelity.decks import Page


def _with(page: Page, **change: Any) -> Page:
    return page | change


def _by_id(pages: list[Page]) -> dict[str, Page]:
    return {page["id"]: page for page in pages}


_H = _by_id(decks.HARBOR_PAGES)
_L = _by_id(decks.LUMEN_PAGES)
_V = _by_id(decks.VISTA_PAGES)

_HARBOR_RENDER: list[Page] = [
    _H["cover"],
    _H["highlights"],
    _with(
        _H["kpi-result"],
        id="kpi",
        title="The half in six figures",
        cards=_H["kpi-result"]["cards"] + _H["kpi-cash"]["cards"][:2],
    ),
    _H["throughput"],
    _with(_H["margin"], bars=[("Terminals", 42.7, "47.2%"), *_H["margin"]["bars"][1:]]),
    _H["segments"],
    _with(_H["positions"], extra=[{"what": "ring", "x": 1180, "y": 980, "size": 74}]),
    _with(_H["programme"], shift=[6, 3]),
    _H["guidance"],
    _H["contact"],
]
_LUMEN_RENDER: list[Page] = [
    _with(_L["cover"], mark="rays"),
    _L["principles"],
    _L["spacing"],
    _with(_L["cards"], without=["rule"]),
    _L["motion"],
    _with(_L["type"], rows=[*_L["type"]["rows"][:3], ["Figure", "121", "1.00", "cards"], *_L["type"]["rows"][4:]]),
    _L["contrast"],
    _L["density"],
    _L["close"],
]
_VISTA_RENDER: list[Page] = [
    _V["cover"],
    _V["figures"],
    _with(
        _V["losses"],
        bars=[("Hill", 11.4, "11.4%"), ("Old town", 9.9, "9.9%"), ("River", 6.1, "8.1%"), ("New town", 4.2, "4.2%")],
    ),
    _V["demand"],
    _with(_V["quality"], shift=[-4, 5]),
    _with(_V["works"], extra=[{"what": "badge", "x": 1290, "y": 1130, "size": 84, "words": "NEW"}]),
    _V["plan"],
    _V["risks"],
]

HARBOR = {
    "slug": "ppt-harbor-results",
    "code": "harbor-h1",
    "mode": "exact_document",
    "depth": "full",
    "theme": decks.HARBOR,
    "original": decks.HARBOR_PAGES,
    "render": _HARBOR_RENDER,
    "compression": "merged",
    "version": "v3.1-2026-10-12",
    "map": [[1], [2], [3, 4], [5], [6], [7], [8], [9], [10], [12]],
    "not_selected": [(11, "a divider without content; the closing page keeps its layout")],
    "retrieved": "2026-10-02T09:14:00+02:00",
    "rendered": "2026-10-12T16:03:06Z",
    "motifs": [
        ("accent bar at the title", [2, 3, 5], "left of every head"),
        ("card with a rule", [3, 4], "key figures"),
        ("faceted cover", [1], "right half of the cover"),
    ],
    "elements": [
        (1, "company mark", "trademark logo", "substitute"),
        (6, "margin chart", "chart", "preserve"),
        (7, "segment table", "table", "preserve"),
        (9, "programme line", "diagram", "preserve"),
    ],
    "verdict": {
        "axes": [4, 4, 3, 3, 2, 3, 4],
        "scored": "2026-10-13T08:20:00Z",
        "reviewer": "claude-opus-4-8",
        "cross": {"verifier": "gpt-5.6-sol", "axes": [4, 4, 3, 3, 3, 3, 4]},
        "hallucinated": [
            {"page": 7, "text": "a ring that the original does not have", "region": [1096, 896, 168, 168]}
        ],
        "repairs": [
            {
                "axis": "F3",
                "page": 7,
                "region": [1096, 896, 168, 168],
                "text": "Take the ring out; nothing on original page 8 stands there.",
            }
        ],
    },
    "qa": {"craft": "pass", "diversity": "pass", "fidelity": "needs_human"},
}

LUMEN = {
    "slug": "ppt-lumen-system",
    "code": "lumen-4",
    "mode": "official_system",
    "depth": "partial",
    "theme": decks.LUMEN,
    "original": decks.LUMEN_PAGES,
    "render": _LUMEN_RENDER,
    "compression": "identity",
    "version": "v2-2026-11-03",
    "map": [[number] for number in range(1, 10)],
    "not_selected": [],
    "retrieved": "2026-10-28",
    "rendered": "2026-11-03T11:40:12.250000Z",
    "motifs": [("rule at the left of a card", [3, 4], "every card"), ("faceted cover", [1], "cover")],
    "elements": [
        (1, "ray mark", "trademark logo", "substitute"),
        (4, "card rule", "component", "preserve"),
        (6, "type table", "table", "preserve"),
    ],
    "verdict": {
        "axes": [4, 4, 4, 4, None, 4, 3],
        "scored": "2026-11-03T15:02:00Z",
        "reviewer": "claude-sonnet-4-8",
        "cross": {"verifier": "gpt-5.6-sol", "axes": [3, 3, 4, 3, None, 3, 2]},
        "hallucinated": [],
        "repairs": [
            {
                "axis": "F7",
                "page": 1,
                "region": [2310, 90, 108, 108],
                "text": "The ray mark is the owner's own. Put the neutral mark in its place.",
            }
        ],
    },
    "qa": {"craft": "pass", "diversity": "pass", "fidelity": "needs_human"},
}

SUMMIT = {
    "slug": "web-summit-style",
    "code": "summit",
    "mode": "style_synthesis",
    "depth": "principles",
    "theme": decks.SUMMIT,
    "original": decks.SUMMIT_PAGES,
    "render": decks.SUMMIT_PAGES,
    "compression": "selected",
    "version": "v1-2026-11-20",
    "map": [[number] for number in range(1, 9)],
    "not_selected": [],
    "retrieved": "2026-11-18T10:00:00Z",
    "rendered": "2026-11-20T09:31:44Z",
    "motifs": [],
    "elements": [],
    "verdict": None,
    "qa": {"craft": "pass", "diversity": "pass", "fidelity": "not_applicable"},
}

VISTA = {
    "slug": "ppt-vista-annual",
    "code": "vista-2026",
    "mode": "exact_document",
    "depth": "full",
    "theme": decks.VISTA,
    "original": decks.VISTA_PAGES,
    "render": _VISTA_RENDER,
    "compression": "identity",
    "version": "v3.1-2026-11-24",
    "manifest_version": "v3-2026-11-09",
    "map": [[number] for number in range(1, 9)],
    "not_selected": [],
    "retrieved": "2026-11-08T18:22:00+01:00",
    "rendered": "2026-11-09T07:55:19Z",
    "motifs": [("accent bar at the title", [2, 3, 4, 5], "left of every head"), ("faceted cover", [1], "cover")],
    "elements": [(1, "utility mark", "trademark logo", "substitute"), (3, "losses chart", "chart", "preserve")],
    "verdict": None,
    "qa": {"craft": "pass", "diversity": "reject", "fidelity": "unreviewed"},
}

PACKS: list[dict[str, Any]] = [HARBOR, LUMEN, SUMMIT, VISTA]

PLANTED: list[dict[str, Any]] = [
    {
        "slug": "ppt-harbor-results",
        "page": 5,
        "source": 6,
        "what": "a changed number (42.7% became 47.2%)",
        "box": [300, 360, 180, 60],
    },
    {
        "slug": "ppt-harbor-results",
        "page": 7,
        "source": 8,
        "what": "an invented element (a ring)",
        "box": [1096, 896, 168, 168],
    },
    {"slug": "ppt-harbor-results", "page": 8, "source": 9, "what": "a shifted page (6, 3 px)", "box": None},
    {
        "slug": "ppt-lumen-system",
        "page": 1,
        "source": 1,
        "what": "a copied logo",
        "box": None,
        "same": [2310, 90, 108, 108],
    },
    {
        "slug": "ppt-lumen-system",
        "page": 4,
        "source": 4,
        "what": "a missing signature (the rule at the left of a card)",
        "box": [150, 390, 1560, 840],
    },
    {
        "slug": "ppt-lumen-system",
        "page": 6,
        "source": 6,
        "what": "a changed number (112 became 121)",
        "box": [1180, 750, 80, 50],
    },
    {
        "slug": "ppt-vista-annual",
        "page": 3,
        "source": 3,
        "what": "a changed number (6.1% became 8.1%)",
        "box": [1480, 700, 160, 60],
    },
    {"slug": "ppt-vista-annual", "page": 5, "source": 5, "what": "a shifted page (-4, 5 px)", "box": None},
    {
        "slug": "ppt-vista-annual",
        "page": 6,
        "source": 6,
        "what": "an invented element (a badge)",
        "box": [1206, 1046, 168, 168],
    },
]
"""Where each planted difference lies in the render, in its pixels. ``same``: where what should differ does not."""
