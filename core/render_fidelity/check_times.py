"""Times run retrieved <= rendered <= scored, compared as instants (contract, Deterministic checks; README, Times)."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.render_fidelity.outcome import Found, failed, held, unknown
from core.render_fidelity.pack import Pack
from core.times import Instant, parse_instant

_ZONES = timedelta(hours=14)
"""How far a local day can lie from the same day in UTC."""


def rendered_at(pack: Pack) -> Instant | None:
    """When the render was made, as its manifest says; None where that is missing or no time."""
    return _instant((pack.manifest or {}).get("rendered_at"))


def _instant(value: object) -> Instant | None:
    if not isinstance(value, str):
        return None
    try:
        return parse_instant(value)
    except ValueError:
        return None


def _day_only(moment: Instant) -> bool:
    return len(moment.text.strip()) == 10


def retrieved_before_rendered(pack: Pack, now: datetime) -> Found | None:
    """The original was fetched before it was rendered from; None where neither time is given."""
    retrieved, rendered = _instant(pack.reference.get("retrieved_at")), rendered_at(pack)
    given = (pack.reference.get("retrieved_at"), (pack.manifest or {}).get("rendered_at"))
    if given == (None, None):
        return None
    if retrieved is None or rendered is None:
        return unknown(f"retrieved {given[0] or 'n/a'}, rendered {given[1] or 'n/a'}: no order can be told")
    return _order("retrieved", retrieved, "rendered", rendered, now)


def rendered_before_scored(pack: Pack, scored_at: str | None, now: datetime) -> Found | None:
    """The scores are not older than the render; older ones are void. None without scores or times."""
    rendered, scored = rendered_at(pack), _instant(scored_at)
    if scored_at is None or rendered is None:
        return None
    if scored is None:
        return unknown(f"scored_at {scored_at[:40]!r} is no time")
    if not (rendered.zone_known and scored.zone_known):
        words = f"rendered {rendered.text.strip()}, scored {scored.text.strip()}"
        return unknown(f"{words}: zone unknown, so it decides no freshness")
    found = _order("rendered", rendered, "scored", scored, now)
    if found.outcome == "fail":
        return failed(f"{found.detail}: the verdict is about an older render and is void")
    return found


def _order(first: str, one: Instant, then: str, two: Instant, now: datetime) -> Found:
    words = f"{first} {one.text.strip()}, {then} {two.text.strip()}"
    future = [name for name, moment in ((first, one), (then, two)) if moment.in_future(now)]
    if future:
        return unknown(f"{words}: {' and '.join(future)} lies in the future (clock skew)")
    # A bare date may be any moment of that day, in any zone: only a day that is certainly later contradicts.
    slack = _ZONES * _day_only(one) + (timedelta(days=1) + _ZONES) * _day_only(two)
    if one.utc - two.utc <= slack:
        return held(words)
    if not all(moment.zone_known or _day_only(moment) for moment in (one, two)):
        return unknown(f"{words}: the zone is unknown, so it decides nothing")
    return failed(f"{words}: {first} {_gap(one.utc - two.utc)} after {then}")


def _gap(length: timedelta) -> str:
    seconds = int(length.total_seconds())
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes} min {seconds % 60} s" if hours else f"{minutes} min {seconds % 60} s"
