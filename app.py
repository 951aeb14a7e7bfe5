"""The app: `streamlit run app.py` serves pages/main.py, which is the one gate to every view.

The script lies inside pages/ on purpose: beside a pages/ folder, Streamlit would discover that folder by itself on a
fresh server and run a deep link without the gate.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import AsyncIterator

import streamlit as st
from starlette.middleware import Middleware

from pages.render_fidelity import routes
from pages.shared.web import CompleteDocument, PrivateFiles, SecurityHeaders


def _import_ahead() -> None:
    """Pay for the slow imports before the first visitor does, then take what they made out of the collector's sight.

    Streamlit collects garbage after every run; with the libraries frozen a run costs less than half.
    """
    from pages.shared import warm

    warm.up()
    gc.collect()
    gc.freeze()


@contextlib.asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Start-up: imports run beside the server, which already answers while they do."""
    thread = threading.Thread(target=_import_ahead, name="import-ahead", daemon=True)
    thread.start()
    yield
    thread.join(timeout=5)


app = st.App(
    "pages/main.py",
    middleware=[Middleware(SecurityHeaders), Middleware(PrivateFiles), Middleware(CompleteDocument)],
    lifespan=lifespan,
    routes=routes.routes(),
)
