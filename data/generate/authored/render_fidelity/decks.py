"""The words and figures of the demo's decks, and what was planted in their renders."""

from __future__ import annotations

from typing import Any

from authored.render_fidelity.drawing import Theme

Page = dict[str, Any]

HARBOR = Theme("#12161c", "#f2f4f7", "#9aa5b1", "#2c343e", "#f2a900", "#5a6673", "#1d242d", "anchor", "Harbor Line")
LUMEN = Theme("#fbfaf7", "#22252b", "#71757d", "#dcd8cf", "#d1495b", "#30638e", "#f0ece3", "rays", "Lumen")
SUMMIT = Theme("#f4f7f4", "#1d2b24", "#66756c", "#cfd9d2", "#2f7d5b", "#94a89a", "#e4ece6", "peaks", "Summit")
VISTA = Theme("#ffffff", "#1a2440", "#6b7488", "#d9dee8", "#4058c9", "#8fa3d9", "#eef1f9", "anchor", "Vista Water")


def _page(kind: str, name: str, title: str, sub: str = "", **more: Any) -> Page:
    return {"kind": kind, "id": name, "title": title, "sub": sub, **more}


HARBOR_PAGES: list[Page] = [
    _page(
        "cover",
        "cover",
        "Half-year results",
        "Six months to 30 September 2026",
        foot="Harbor Line Holdings · investor presentation",
    ),
    _page(
        "split",
        "highlights",
        "Where the half went",
        "three things that moved the result",
        points=[
            ("Terminals", "Throughput up on two new berths,|yard dwell time down to 3.1 days"),
            ("Shortsea", "Four ships returned to charter;|the lane to the north is full again"),
            ("Services", "Customs desk opened in two ports,|first full half with the new system"),
            ("Cost", "Bunker hedged to March at 540,|shore power at every own berth"),
        ],
    ),
    _page(
        "kpi",
        "kpi-result",
        "The half in four figures",
        "group, unaudited",
        cards=[
            ("1,204", "revenue, EUR m", "first half 2025: 1,118"),
            ("187", "operating result, EUR m", "first half 2025: 161"),
            ("15.5%", "operating margin", "first half 2025: 14.4%"),
            ("0.62", "earnings a share, EUR", "first half 2025: 0.51"),
        ],
    ),
    _page(
        "kpi",
        "kpi-cash",
        "Cash and debt",
        "group, unaudited",
        cards=[
            ("96", "free cash flow, EUR m", "after leases"),
            ("1.8x", "net debt to EBITDA", "covenant: 3.5x"),
            ("412", "liquidity, EUR m", "of which undrawn 300"),
            ("4.1", "years to maturity", "weighted"),
        ],
    ),
    _page(
        "lines",
        "throughput",
        "Throughput by quarter",
        "thousand containers",
        axis=["0", "200", "400", "600", "800"],
        steps=["Q1 25", "Q2 25", "Q3 25", "Q4 25", "Q1 26", "Q2 26", "Q3 26"],
        series=[
            ("North 690", [52, 55, 58, 61, 70, 79, 86]),
            ("South 480", [44, 46, 45, 49, 53, 57, 60]),
            ("Inland 210", [20, 21, 22, 22, 24, 25, 26]),
        ],
    ),
    _page(
        "bars",
        "margin",
        "Operating margin",
        "second quarter, by segment",
        bars=[
            ("Terminals", 42.7, "42.7%"),
            ("Shortsea", 31.0, "31.0%"),
            ("Services", 17.4, "17.4%"),
            ("Other", 11.2, "11.2%"),
        ],
    ),
    _page(
        "table",
        "segments",
        "Segments at a glance",
        "EUR m, six months",
        widths=[3, 2, 2, 2, 2],
        hot=[1, 4],
        rows=[
            ["Segment", "Revenue", "Result", "Margin", "Change"],
            ["Terminals", "512", "118", "23.0%", "+14%"],
            ["Shortsea", "388", "41", "10.6%", "+6%"],
            ["Services", "226", "22", "9.7%", "+9%"],
            ["Other", "78", "6", "7.7%", "-3%"],
            ["Group", "1,204", "187", "15.5%", "+8%"],
        ],
    ),
    _page(
        "matrix",
        "positions",
        "Where we stand",
        "own assessment, size of berth against growth",
        across="growth of the hinterland",
        up="berth depth",
        dots=[("Northgate", 78, 82, 1), ("Oldport", 30, 66, 0), ("Saltmarsh", 62, 34, 0), ("Inland hub", 84, 18, 0)],
    ),
    _page(
        "steps",
        "programme",
        "Capacity programme",
        "four steps, all permits in hand",
        items=[
            ("Q4 2026", "Berth 9", "dredging done,|cranes on site"),
            ("Q2 2027", "Rail yard", "six tracks of 740 m"),
            ("Q4 2027", "Shore power", "all own berths"),
            ("Q2 2028", "North gate", "automatic gate,|24 lanes"),
        ],
    ),
    _page(
        "bars",
        "guidance",
        "Guidance for the year",
        "operating result, EUR m",
        bars=[("2024", 298, "298"), ("2025", 334, "334"), ("2026 low", 365, "365"), ("2026 high", 385, "385")],
    ),
    _page("quote", "divider", "", lines=["Safe, on time,", "and paid for once."], who="From the letter to the staff"),
    _page(
        "split",
        "contact",
        "Dates and contact",
        "financial calendar",
        points=[
            ("12 February 2027", "Results for the year"),
            ("22 April 2027", "Annual meeting, Northgate"),
            ("6 May 2027", "First quarter"),
            ("Investor desk", "ir at harborline example"),
        ],
    ),
]

LUMEN_PAGES: list[Page] = [
    _page("cover", "cover", "Lumen system", "Guide for partners, edition 4", foot="Lumen Design Office"),
    _page(
        "split",
        "principles",
        "Four principles",
        "in this order when they collide",
        points=[
            ("Light first", "Contrast before colour,|colour before ornament"),
            ("One ray", "A page has one accent and|it points at one thing"),
            ("Room", "Margins are never bought|back for content"),
            ("Plain words", "Verb first, then the object"),
        ],
    ),
    _page(
        "kpi",
        "spacing",
        "Spacing scale",
        "multiples of eight",
        cards=[
            ("8", "inside a line", "icon to word"),
            ("16", "inside a card", "padding"),
            ("24", "between cards", "gutter"),
            ("48", "between groups", "section"),
            ("96", "page margin", "wide"),
            ("150", "title block", "cover only"),
        ],
    ),
    _page(
        "kpi",
        "cards",
        "Card anatomy",
        "rule, figure, name, note",
        cards=[
            ("A", "rule at the left", "accent, 10 px"),
            ("B", "figure", "112 px, bold"),
            ("C", "name and note", "40 and 31 px"),
        ],
    ),
    _page(
        "steps",
        "motion",
        "Motion",
        "how things come in",
        items=[
            ("0 ms", "Ray", "draws first"),
            ("120 ms", "Card", "rises 8 px"),
            ("200 ms", "Figure", "counts up|once only"),
        ],
    ),
    _page(
        "table",
        "type",
        "Type scale",
        "sizes in px at 1x",
        widths=[3, 2, 2, 3],
        rows=[
            ["Role", "Size", "Line", "Use"],
            ["Display", "150", "1.05", "cover"],
            ["Title", "76", "1.15", "page head"],
            ["Figure", "112", "1.00", "cards"],
            ["Body", "38", "1.45", "text, tables"],
            ["Small", "31", "1.40", "notes"],
        ],
    ),
    _page(
        "bars",
        "contrast",
        "Contrast of the set",
        "ratio against paper",
        bars=[("Ink", 15.1, "15.1"), ("Ocean", 6.4, "6.4"), ("Ray", 4.9, "4.9"), ("Stone", 4.6, "4.6")],
    ),
    _page(
        "lines",
        "density",
        "Density over a deck",
        "words a page, typical deck of seven",
        axis=["0", "40", "80", "120"],
        steps=["1", "2", "3", "4", "5", "6", "7"],
        series=[("good", [10, 42, 48, 40, 52, 44, 22]), ("too much", [34, 70, 84, 88, 92, 80, 60])],
    ),
    _page("quote", "close", "", lines=["If everything shines,", "nothing does."], who="Lumen Design Office, edition 1"),
]

SUMMIT_PAGES: list[Page] = [
    _page("cover", "cover", "Field season", "What the hut wardens reported", foot="Summit Trails Association"),
    _page(
        "kpi",
        "figures",
        "The season",
        "June to October",
        cards=[("31,400", "nights", "all huts"), ("118", "days open", "average"), ("4", "closures", "weather")],
    ),
    _page(
        "bars",
        "nights",
        "Nights by valley",
        "thousand",
        bars=[("West", 12.1, "12.1"), ("Mill", 9.8, "9.8"), ("Lake", 6.2, "6.2"), ("East", 3.3, "3.3")],
    ),
    _page(
        "lines",
        "weather",
        "Days of rain",
        "by month",
        axis=["0", "5", "10", "15", "20"],
        steps=["Jun", "Jul", "Aug", "Sep", "Oct"],
        series=[("2026", [55, 40, 35, 50, 75]), ("ten years", [48, 44, 42, 52, 62])],
    ),
    _page(
        "steps",
        "works",
        "Works",
        "in order of urgency",
        items=[("May", "Bridge", "two spans"), ("June", "Roof", "Mill hut"), ("August", "Path", "1.2 km")],
    ),
    _page(
        "split",
        "wardens",
        "From the wardens",
        "in their words",
        points=[
            ("Water", "The spring above Lake hut|ran low in August"),
            ("Visitors", "More of them arrive late|and without a lamp"),
            ("Rescue", "Six calls, all ended well"),
        ],
    ),
    _page(
        "matrix",
        "plans",
        "Which hut next",
        "need against cost",
        across="cost",
        up="need",
        dots=[("Mill", 30, 84, 1), ("Lake", 62, 58, 0), ("West", 76, 30, 0)],
    ),
    _page("quote", "thanks", "", lines=["Leave the stove laid", "for whoever comes in wet."], who="Board at Mill hut"),
]

VISTA_PAGES: list[Page] = [
    _page("cover", "cover", "Annual review", "Water in figures, 2026", foot="Vista Water, public utility"),
    _page(
        "kpi",
        "figures",
        "The year in six figures",
        "all sites",
        cards=[
            ("212", "million m3 delivered", "2025: 208"),
            ("99.94%", "hours served", "target: 99.90%"),
            ("7.8%", "losses", "2025: 8.6%"),
            ("64", "km of mains renewed", "plan: 60"),
            ("3", "boil notices", "all lifted within a day"),
            ("1.92", "EUR a m3", "unchanged"),
        ],
    ),
    _page(
        "bars",
        "losses",
        "Losses by district",
        "share of water put into supply",
        bars=[("Hill", 11.4, "11.4%"), ("Old town", 9.9, "9.9%"), ("River", 6.1, "6.1%"), ("New town", 4.2, "4.2%")],
    ),
    _page(
        "lines",
        "demand",
        "Demand by month",
        "million m3",
        axis=["0", "6", "12", "18", "24"],
        steps=["Jan", "Mar", "May", "Jul", "Sep", "Nov"],
        series=[("2026", [60, 62, 74, 92, 80, 64]), ("2025", [58, 60, 70, 84, 78, 62])],
    ),
    _page(
        "table",
        "quality",
        "Quality at the tap",
        "samples of the year",
        widths=[3, 2, 2, 2],
        hot=[3, 3],
        rows=[
            ["Parameter", "Samples", "Limit", "Met"],
            ["Nitrate", "1,240", "50 mg/l", "100%"],
            ["Lead", "860", "10 ug/l", "99.8%"],
            ["Chlorine", "2,410", "0.5 mg/l", "99.6%"],
            ["Coliforms", "2,410", "0", "99.9%"],
        ],
    ),
    _page(
        "split",
        "works",
        "Works of the year",
        "three large ones",
        points=[
            ("Hill reservoir", "second chamber in service,|14,000 m3 more"),
            ("River main", "1,100 m under the railway,|no service lost"),
            ("Lab", "accredited again,|two methods added"),
        ],
    ),
    _page(
        "steps",
        "plan",
        "What comes next",
        "council plan 2027 to 2029",
        items=[
            ("2027", "Meters", "all of Old town"),
            ("2028", "Softening", "River works"),
            ("2029", "Mains", "80 km a year"),
        ],
    ),
    _page(
        "matrix",
        "risks",
        "Risks we carry",
        "own assessment",
        across="likelihood",
        up="damage",
        dots=[("Drought", 70, 74, 1), ("Main burst", 52, 40, 0), ("Cyber", 34, 82, 0)],
    ),
]
