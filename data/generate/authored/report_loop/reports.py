# ruff: noqa: E501  authored text reads best unbroken
"""The eight reports of the demo, as authored: what each says, how its loop went, and what its reviewer changed."""

from __future__ import annotations

from typing import Any

PERIOD, PREVIOUS = "Q3 2026", "Q2 2026"
RESIDUE = ["Reading order of the two-column head", "Wording of the outlook is the board's own business"]


def figures(
    revenue: str, margin: str, orders: str, regions: list[tuple[str, str]], bars: list[float]
) -> dict[str, Any]:
    names = ["Q4", "Q1", "Q2", "Q3"]
    return {
        "kpis": [("revenue", "Revenue", revenue), ("margin", "Operating margin", margin), ("orders", "Orders", orders)],
        "table": [(f"region_{number}", name, value) for number, (name, value) in enumerate(regions, start=1)],
        "bars": list(zip(names, bars, strict=True)),
    }


HARBOUR = {
    "run": "2026-11-24-harbour-logistics",
    "title": "Harbour Logistics, third quarter",
    **figures("$18.4M", "11.2%", "9,310", [("North Sea", "$8.1M"), ("Baltic", "$6.4M"), ("Inland", "$3.9M")],
              [15.9, 16.8, 17.6, 18.4]),
    "summary": "Revenue rose 4.5% on the second quarter. Operating margin rose by 0.4 points, helped by fuller vessels on "
    "the Baltic route.",
    "chart_label": "Bar chart of quarterly revenue: $15.9M, $16.8M, $17.6M and $18.4M, rising in every quarter",
    "caption": "Revenue by quarter",
    "outlook": "The winter schedule starts on 30 November. Two vessels return from the yard before year end.",
    "deltas": {"Revenue": 4.5, "Operating margin": 0.4},
    "reviewed": [
        ("Revenue rose 4.5% on the second quarter.",
         "Revenue rose 4.5% on the second quarter, because two competitors had vessels in the yard."),
        ("helped by fuller vessels on the Baltic route", "mainly helped by fuller vessels on the Baltic route"),
        ("<td data-bind=\"region_3\">$3.9M</td>", "<td data-bind=\"region_3\">$3.90M</td>"),
        ("The winter schedule starts on 30 November.", "The winter schedule starts on 7 December."),
    ],
}  # fmt: skip

MEADOW = {
    "run": "2026-11-26-meadow-retail",
    "title": "Meadow Retail, third quarter",
    **figures("$4.81M", "18.7%", "61,204", [("North", "$1.92M"), ("South", "$1.61M"), ("Online", "$1.28M")],
              [4.11, 4.38, 4.52, 4.81]),
    "summary": "Revenue fell 6.4% on the second quarter to its highest level so far. Operating margin was flat at 18.7%.",
    "chart_label": "Revenue chart",
    "caption": "Revenue by quarter, in millions",
    "outlook": "Two stores open before the holidays. The online range is complete.",
    "deltas": {"Revenue": 6.4, "Operating margin": {"delta": 0.0, "rounding": 0.1}},
    "revisions": {
        "dynamic": [{"node_id": "summary", "before": "Revenue fell 6.4%", "after": "Revenue rose 6.4%"}],
        "inclusive": [
            {"node_id": "chart", "try": 0, "before": "<figcaption data-edit=\"caption\">Revenue by quarter, in millions",
             "after": "<figcaption data-edit=\"caption\">Revenue by quarter, in millions, from the fourth quarter of last "
             "year, when it was $4.11M, over $4.38M and $4.52M to $4.81M now"},
            {"node_id": "chart", "try": 1, "before": "aria-label=\"Revenue chart\"",
             "after": "aria-label=\"Bar chart of revenue over four quarters: $4.11M, $4.38M, $4.52M, $4.81M\""},
        ],
        "polished": [],
    },
    "reviewed": [
        ("Revenue rose 6.4% on the second quarter to its highest level so far.",
         "Revenue rose 6.4% on the second quarter to its highest level so far, driven by the online range rather than by "
         "new stores."),
        ("Operating margin was flat at 18.7%.", "Operating margin was flat at 18.7%, although rents rose."),
        ("The online range is complete.", "The online range is nearly complete."),
        ("$1.61M", "1.61M $"),
    ],
}  # fmt: skip

ALDER = {
    "run": "2026-11-27-alder-energy",
    "title": "Alder Energy, third quarter",
    **figures("€52.0M", "9.8%", "1,204", [("Wind", "€31.2M"), ("Solar", "€14.6M"), ("Storage", "€6.2M")],
              [44.0, 47.5, 53.1, 52.0]),
    "summary": "Revenue fell 2.1% on the second quarter as the wind was weak. Operating margin fell by 0.6 points.",
    "chart_label": "Quarterly revenue as bars",
    "caption": "Revenue by quarter",
    "outlook": "The second storage site is due in spring.",
    "deltas": {"Revenue": -2.1, "Operating margin": -0.6},
}  # fmt: skip

CEDAR = {
    "run": "2026-11-25-cedar-clinics",
    "title": "Cedar Clinics, third quarter",
    **figures("$27.3M", "6.1%", "48,530", [("City", "$15.0M"), ("Suburb", "$8.8M"), ("Rural", "$3.5M")],
              [25.1, 25.9, 26.6, 27.3]),
    "summary": "Revenue rose 2.6% on the second quarter. Operating margin slipped by 0.3 points on agency staff.",
    "chart_label": "Revenue by quarter",
    "caption": "Revenue by quarter",
    "outlook": "Waiting times are the board's first concern for winter.",
    "deltas": {"Revenue": 2.6, "Operating margin": -0.3},
    "reviewed": [
        ("Operating margin slipped by 0.3 points through agency staff.",
         "Operating margin slipped by 0.3 points because agency staff covered unfilled night shifts."),
        ("aria-label=\"Revenue in each quarter\"", "aria-label=\"Revenue by quarter: $25.1M, $25.9M, $26.6M, $27.3M\""),
        ("48,530", "48 530"),
        ("Waiting times are the board's first concern for winter.",
         "We recommend that waiting times become the board's first concern for winter."),
        ("$15.0M", "$15.2M"),
    ],
}  # fmt: skip

BIRCH = {
    "run": "2026-11-28-birch-insurance",
    "title": "Birch Insurance, third quarter",
    **figures("£73.5M", "14.0%", "210,447", [("Home", "£41.9M"), ("Motor", "£22.4M"), ("Travel", "£9.2M")],
              [70.2, 71.1, 72.9, 73.5]),
    "summary": "Revenue rose 0.8% on the second quarter. Operating margin was flat at 14.0%.",
    "chart_label": "Bar chart of premiums over four quarters: £70.2M, £71.1M, £72.9M, £73.5M",
    "caption": "Premiums by quarter",
    "outlook": "Storm season has been mild so far.",
    "deltas": {"Revenue": 0.8, "Operating margin": {"delta": 0.0, "rounding": 0.1}},
}  # fmt: skip

FJORD = {
    "run": "2026-11-29-fjord-seafood",
    "title": "Fjord Seafood, third quarter",
    **figures("€96.2M", "12.9%", "3,118", [("Salmon", "€71.0M"), ("Cod", "€18.7M"), ("Other", "€6.5M")],
              [81.4, 88.0, 91.3, 96.2]),
    "summary": "Revenue rose 5.4% on the second quarter. Operating margin rose by 0.9 points.",
    "chart_label": "Bar chart of revenue over four quarters: €81.4M, €88.0M, €91.3M, €96.2M",
    "caption": "Revenue by quarter",
    "outlook": "Feed prices are fixed until summer.",
    "deltas": {"Revenue": 5.4, "Operating margin": 0.9},
}  # fmt: skip

LARCH = {
    "run": "2026-11-20-larch-hotels",
    "title": "Larch Hotels, third quarter",
    **figures("$33.9M", "21.5%", "118,920", [("City", "$19.4M"), ("Coast", "$10.1M"), ("Alpine", "$4.4M")],
              [22.0, 24.9, 30.8, 33.9]),
    "summary": "Revenue rose 10.1% on the second quarter. Operating margin rose by 2.2 points in the high season.",
    "chart_label": "Bar chart of revenue over four quarters: $22.0M, $24.9M, $30.8M, $33.9M",
    "caption": "Revenue by quarter",
    "outlook": "Alpine bookings are far ahead.",
    "deltas": {"Revenue": 10.1, "Operating margin": 2.2},
    "reviewed": [
        ("Operating margin rose by 2.2 points in the high season.",
         "Operating margin rose by 2.2 points in the high season; it will not stay there in winter."),
        ("Alpine bookings for winter are ahead of plan.", "Alpine bookings for winter look promising."),
        ("Revenue by quarter</figcaption>", "Revenue per quarter</figcaption>"),
        ("21.5%", "21.5 %"),
    ],
}  # fmt: skip

OAK = {
    "run": "2026-11-22-oak-publishing",
    "title": "Oak Publishing, third quarter",
    **figures("£8.7M", "7.4%", "402,118", [("Print", "£5.6M"), ("Audio", "£2.2M"), ("Rights", "£0.9M")],
              [8.9, 8.1, 8.4, 8.7]),
    "summary": "Revenue rose 3.6% on the second quarter. Operating margin fell by 0.2 points.",
    "chart_label": "Bar chart of revenue over four quarters: £8.9M, £8.1M, £8.4M, £8.7M",
    "caption": "Revenue by quarter",
    "outlook": "The autumn list is out.",
    "deltas": {"Revenue": 3.6, "Operating margin": -0.2},
}  # fmt: skip
