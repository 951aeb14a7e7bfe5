"""A key press is handled once, also when the run that handles it is cut short by the next one."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from core.errors import Conflict
from pages.shared import gate, hotkeys, notices


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", kept)
    monkeypatch.setattr(gate, "require_decider", lambda: None)
    kept["keys"] = {"events": {"nonce": "one page", "list": [{"seq": 1, "key": "e", "item": "x"}]}}
    return kept


def cut_short() -> None:
    raise RerunException(RerunData())


def run(handler: Any) -> None:
    """One run of the page, which the next one may cut short."""
    with contextlib.suppress(RerunException):
        hotkeys._handle("keys", {"e": handler})


def test_cut_short_before_the_deed_it_is_done_in_the_next_run() -> None:
    done: list[str] = []
    begun: list[str] = []

    def handler(press: hotkeys.Press) -> None:
        begun.append(press.item)
        if len(begun) == 1:
            cut_short()
        notices.attempt(lambda: done.append(press.item))

    run(handler)
    assert done == []
    run(handler)
    run(handler)
    assert done == ["x"]


@pytest.mark.parametrize("refused", [False, True])
def test_cut_short_after_the_deed_it_is_not_done_again(monkeypatch: pytest.MonkeyPatch, refused: bool) -> None:
    done: list[str] = []

    def deed() -> None:
        done.append("claimed")
        if refused:
            raise Conflict("somebody was first")

    monkeypatch.setattr(notices, "add", lambda *_: cut_short())
    for _ in range(3):
        run(lambda _press: notices.attempt(deed, "Yours"))
    assert done == ["claimed"]


def test_a_fault_in_a_deed_is_seen_once() -> None:
    tried: list[str] = []

    def deed() -> None:
        tried.append("x")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(lambda _press: notices.attempt(deed))
    run(lambda _press: notices.attempt(deed))
    assert tried == ["x"]
