"""Distinct suggestions, their order and search (suggestions contract, Files and Review)."""

from datetime import UTC, date, datetime

from core.suggestions.entries import parse
from core.suggestions.queue import Suggestion, counts, distinct, queue_order, search

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TODAY = date(2026, 11, 30)


def of(text: str) -> tuple[Suggestion, ...]:
    return distinct(parse(text.encode(), "f.md"), NOW)


def entry(day: str, title: str, *more: str) -> str:
    return "\n".join([f"### {day} | N | {title}", "- 📋 建議：x", *more]) + "\n\n---\n\n"


def review(mark: str, at: str, comment: str = "") -> list[str]:
    return [f"- **Feedback**: {mark}", f"- **Comment**: {comment}", f"- **Reviewed**: {at}"]


def test_todays_first_then_the_backlog_newest_first_then_what_has_no_place_in_time() -> None:
    days = ["2026-11-28", "2026-11-30", "someday", "2026-12-24", "2026-11-29", "2026-11-30"]
    found = queue_order(of("".join(entry(day, f"t{n}") for n, day in enumerate(days))), TODAY)
    assert [one.entry.title for one in found] == ["t1", "t5", "t4", "t0", "t3", "t2"]
    assert found[4].problems(NOW) == ("the date 2026-12-24 lies in the future",)
    assert found[4].problems(datetime(2026, 12, 24, tzinfo=UTC)) == ()


def test_a_duplicate_is_shown_once_with_its_count() -> None:
    found = of(entry("2026-11-28", "a") + entry("2026-11-28", "b") + entry("2026-11-28", "a", "- 🏷️ x"))
    assert [(one.entry.title, one.copies, one.history) for one in found] == [("a", 2, ()), ("b", 1, ())]


def test_the_later_instant_counts_whatever_its_offset_and_place() -> None:
    text = entry("2026-11-28", "a", *review("✅", "2026-11-29T00:30:00+08:00")) + entry(
        "2026-11-28", "a", *review("❌", "2026-11-28T17:00:00Z")
    )
    one, reversed_ = of(text)[0], of("".join(f"{part}---\n\n" for part in text.split("---\n\n")[1::-1]))[0]
    assert one.entry.decision == reversed_.entry.decision == "reject"
    assert [earlier.decision for earlier in one.history] == ["accept"]
    assert counts([one]) == {"reject": 1}


def test_a_review_repeated_byte_for_byte_is_no_history() -> None:
    found = of(entry("2026-11-28", "a", *review("✅", "2026-11-29T00:30:00+08:00")) * 3)
    assert (found[0].copies, found[0].history) == (3, ())


def test_a_review_from_the_future_is_never_the_latest() -> None:
    skewed = entry("2026-11-28", "a", *review("❌", "2027-01-01T00:00:00Z"))
    earlier = entry("2026-11-28", "a", *review("✅", "2026-11-29T00:00:00Z"))
    assert of(skewed + earlier)[0].entry.decision == "accept"
    assert of(skewed)[0].entry.decision == "reject"


def test_a_review_from_the_future_is_marked() -> None:
    """As an instant: 20:30 in Taipei is 12:30 UTC, half an hour ahead of NOW; 20:00 is now."""
    told = "the review time 2026-11-30T20:30:00+08:00 lies in the future (clock skew), so it is never the latest"
    for at, problems in (("2026-11-30T20:30:00+08:00", (told,)), ("2026-11-30T20:00:00+08:00", ())):
        assert of(entry("2026-11-28", "a", *review("❌", at)))[0].problems(NOW) == problems


def test_a_review_without_a_time_gives_way_and_at_one_instant_the_later_in_the_file_counts() -> None:
    undated = entry("2026-11-28", "a", "- **Feedback**: ❌")
    first = entry("2026-11-28", "a", *review("✅", "2026-11-29T00:00:00Z"))
    second = entry("2026-11-28", "a", *review("❌", "2026-11-29T00:00:00Z", "on second thought"))
    assert of(first + undated)[0].entry.decision == "accept"
    assert of(first + second)[0].entry.comment == "on second thought"


def test_search_ignores_case_and_width_and_wants_every_word() -> None:
    found = of("### 2026-11-28 | Threads | ＧＰＵ 叢集\n- 🏷️ 技術\n- 📋 建議：Set a Budget\n" + entry("2026-11-28", "b"))
    for words in ("gpu", "叢集 budget", "THREADS", "技術", "  "):
        assert found[0] in search(found, words), words
    assert search(found, "gpu nothing") == []
    assert len(search(found, "")) == 2
