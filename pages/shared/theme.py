"""The stylesheet: the palette of `verdicts` as CSS, then look.css. Streamlit does not send it again unchanged."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

from pages.shared.verdicts import PALETTE

_LINE = ("#d5dbe1", "#323c46")


@cache
def palette_css(scope: str = ":root") -> str:
    """The colours as variables and chip classes; ``light-dark()`` follows the colour scheme Streamlit sets."""
    light, dark = PALETTE["light"], PALETTE["dark"]
    variables, classes = [f"--ts-line: light-dark({_LINE[0]}, {_LINE[1]});"], []
    for name, (text, tint, mark) in light.items():
        other_text, other_tint, other_mark = dark[name]
        variables.append(f"--ts-{name}: light-dark({text}, {other_text});")
        variables.append(f"--ts-{name}-tint: light-dark({tint}, {other_tint});")
        variables.append(f"--ts-{name}-mark: light-dark({mark}, {other_mark});")
        classes.append(f".ts-{name} {{ color: var(--ts-{name}); background: var(--ts-{name}-tint); }}")
    return f"{scope}, .stApp, [data-testid=stSidebar] {{ {' '.join(variables)} }}\n" + "\n".join(classes) + "\n"


@cache
def _stylesheet(scheme: str) -> str:
    # Popovers and menus lie outside .stApp, where Streamlit sets no colour scheme.
    root = f":root {{ color-scheme: {scheme}; }}\n"
    return f"<style>\n{root}{palette_css()}{Path(__file__).with_name('look.css').read_text(encoding='utf-8')}</style>"


def apply() -> None:
    """Put the stylesheet on the page."""
    st.html(_stylesheet("dark" if st.context.theme.type == "dark" else "light"))
