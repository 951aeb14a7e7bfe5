"""Which eval, which view of it, how far back; and the address, which says all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared import address, text
from pages.text_fidelity import keys

_MOST_SEGMENTS = 5


def follow_address(labels: Sequence[str]) -> None:
    """Go where the address points that the visitor came by; otherwise what was chosen stays."""
    asked = address.query("eval")
    if address.arrived() and asked in labels:
        keys.EVAL.set(str(asked))
        view = address.query("tab") or "ledger"
        keys.VIEW.set(view if view in keys.VIEWS else "ledger")  # type: ignore[arg-type]  # one of VIEWS
        keys.RUN.set(address.query("run") or "")
        keys.CASE.set(address.query("case") or "")
    if keys.EVAL.get() not in labels:
        keys.EVAL.set(labels[0])


def write_address() -> None:
    """Put what is shown into the address."""
    ledger = keys.VIEW.get() == "ledger"
    address.put(
        eval=keys.EVAL.get(), tab=None if ledger else keys.VIEW.get(),
        run=(keys.RUN.get() or None) if ledger else None, case=(keys.CASE.get() or None) if ledger else None,
    )  # fmt: skip


def show(names: Mapping[str, str]) -> DeltaGenerator:
    """Draw the choices; ``names`` gives each eval's name by its label. Returns the place at the row's end."""
    labels = list(names)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if 1 < len(labels) <= _MOST_SEGMENTS:
            st.segmented_control(
                "Eval", labels, key=keys.EVAL.id, required=True, label_visibility="collapsed", on_change=_other_eval,
                format_func=lambda label: text.label(names[label], 40),
            )  # fmt: skip
        elif len(labels) > _MOST_SEGMENTS:
            st.selectbox(
                "Eval", labels, key=keys.EVAL.id, label_visibility="collapsed", width=340, on_change=_other_eval,
                format_func=lambda label: names[label],
            )  # fmt: skip
        keys.VIEW.among(keys.VIEWS)
        st.segmented_control(
            "View", list(keys.VIEWS), key=keys.VIEW.id, required=True, label_visibility="collapsed",
            format_func=lambda one: keys.VIEWS[one],
        )  # fmt: skip
        return st.container(width="content", key="tf_corner")


def _other_eval() -> None:
    """Another eval starts at its own latest run."""
    keys.RUN.clear()
    keys.CASE.clear()
