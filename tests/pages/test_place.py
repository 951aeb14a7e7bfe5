"""A reviewer's place in a list that changes under them."""

from __future__ import annotations

import pytest

from pages.shared.place import Place, page_holding, settle, step


@pytest.mark.parametrize(
    ("ids", "place", "expected"),
    [
        ([], Place("a", 3), Place()),
        (["a", "b"], Place(), Place("a", 0)),
        (["new", "a", "b"], Place("a", 0), Place("a", 1)),  # an agent put one in front: the same item stays
        (["a", "c", "d"], Place("b", 1), Place("c", 1)),  # decided: the next moves up
        (["a", "b"], Place("c", 2), Place("b", 1)),  # the last was decided: the one before it
    ],
)
def test_settle(ids: list[str], place: Place, expected: Place) -> None:
    assert settle(ids, place) == expected


@pytest.mark.parametrize(
    ("by", "expected"), [(1, Place("c", 2)), (-1, Place("a", 0)), (9, Place("d", 3)), (-9, Place("a", 0))]
)
def test_step_stops_at_the_ends(by: int, expected: Place) -> None:
    assert step(["a", "b", "c", "d"], Place("b", 1), by) == expected


def test_step_in_an_empty_list_is_nowhere() -> None:
    assert step([], Place("a", 0), 1) == Place()


def test_page_holding() -> None:
    assert [page_holding(index, 12) for index in (0, 11, 12, 35)] == [1, 1, 2, 3]
