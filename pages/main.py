"""The one entry: who is looking, which workspace, which views there are; then the view."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.errors import TouchstoneError
from pages.shared import address, gate, hotkeys, sidebar, sign_in, theme, warm, widgets

HERE = Path(__file__).parent
VIEWS = [
    ("overview", "Overview", "space_dashboard"),
    ("triage", "Needs human", "inbox"),
    ("report_loop", "Report loop", "show_chart"),
    ("suggestions", "Suggestions", "lightbulb"),
    ("grader", "Grader", "rule"),
    ("text_fidelity", "Text fidelity", "notes"),
    ("render_fidelity", "Render fidelity", "compare"),
    ("log", "Log", "history"),
]

warm.arrived.set()
st.set_page_config(
    layout="wide",
    initial_sidebar_state=240,
    page_title="Touchstone",
    page_icon="app/static/favicon.png",  # an address, not a file: files are served to those who may look, this to all
)
found = gate.enter()
if isinstance(found, gate.Closed):  # nobody is told what there is: no names in the navigation, whatever the address
    st.navigation(gate.closed_pages(found), position="hidden").run()
    st.stop()
workspace, person = found
views = {
    folder: st.Page(
        f"{folder}/page.py", title=title, icon=f":material/{icon}:", url_path=folder, default=folder == "overview"
    )
    for folder, title, icon in VIEWS
    if (HERE / folder / "page.py").is_file()
}
view = st.navigation(list(views.values()))
gate.asked_for(view.url_path)
address.settle(view.url_path)
theme.apply()
if sign_in.configured():
    sign_in.return_to(views)
else:
    gate.remember()
sidebar.show(workspace, person)
hotkeys.help_key()
try:
    view.run()
except TouchstoneError as error:
    widgets.error(error)
warm.drawn.set()
