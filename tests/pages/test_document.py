"""The page that Streamlit sends, completed; and what passes through unchanged."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import re
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared import document, web

PAGE = document._streamlits()


def links(html: bytes) -> list[str]:
    return re.findall(r'modulepreload" crossorigin href="\./static/js/([^"]+)"', html.decode())


def test_the_installed_streamlit_still_has_what_is_asked_for() -> None:
    """An upgrade that renames a script or the page's head is seen here, not only as a slower page."""
    assert PAGE.count(b"<head>") == 1
    for element in (*document.ALWAYS, *document.CHARTS["report_loop"]):
        assert len(list((document._STATIC / "static/js").glob(f"{element}.*.js"))) == 1, element


@pytest.mark.parametrize(("path", "chart"), [("/report_loop", True), ("/base/text_fidelity/", True), ("/log", False)])
def test_the_page_names_its_server_and_its_scripts(path: str, chart: bool) -> None:
    made = document.completed(PAGE, path)
    assert made.index(b"window.__streamlit=") < made.index(b'<script type="module"')
    named = links(made)
    assert len(named) == len(set(named)), "each once"
    assert any(name.startswith("ArrowVegaLiteChart") for name in named) is chart
    assert all((document._STATIC / "static/js" / name).is_file() for name in named)
    assert re.sub(rb"<head>.*?(?=\s*<meta)", b"<head>", made, flags=re.DOTALL) == re.sub(
        rb"<head>\s*?(?=\s*<meta)", b"<head>", PAGE
    )


@pytest.mark.parametrize(("base", "told"), [("", b'"/"}'), ("/tools/touchstone/", b'"/tools/touchstone/"}')])
def test_below_a_base_path(monkeypatch: pytest.MonkeyPatch, base: str, told: bytes) -> None:
    monkeypatch.setattr(document.st, "get_option", lambda name: {"server.baseUrlPath": base}[name])
    assert document.where_the_server_is().endswith(told)


def test_every_script_inside_the_page_is_allowed_by_name() -> None:
    inside = re.findall(rb"<script>(.*?)</script>", document.completed(PAGE, "/"), re.DOTALL)
    assert len(inside) == 2
    allowed = web.content_security_policy()
    for script in inside:
        assert base64.b64encode(hashlib.sha256(script).digest()).decode() in allowed


@pytest.mark.parametrize("other", [b"", b"<html></html>", PAGE + b" ", PAGE.replace(b"<head>", b"<head lang=en>")])
def test_another_page_is_none_of_its_business(other: bytes) -> None:
    assert document.completed(other, "/report_loop") == other


async def _parts() -> Any:
    for at in range(0, len(PAGE), 1000):
        yield PAGE[at : at + 1000]
        await asyncio.sleep(0)


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = Starlette(
        routes=[
            Route("/whole", lambda _: HTMLResponse(PAGE, headers={"etag": "x", "last-modified": "y"})),
            Route("/parts", lambda _: StreamingResponse(_parts(), media_type="text/html")),
            Route("/gone", lambda _: HTMLResponse(PAGE, 404)),
            Route("/data", lambda _: Response(PAGE, media_type="application/octet-stream", headers={"etag": "x"})),
            Route("/other", lambda _: HTMLResponse("<p>signed out</p>")),
            Route("/told", lambda request: PlainTextResponse(",".join(sorted(request.headers)))),
        ],
        middleware=[Middleware(web.CompleteDocument), Middleware(GZipMiddleware, minimum_size=100)],
    )
    return TestClient(app, headers={"accept": "text/html", "if-none-match": "x"})


@pytest.mark.parametrize("path", ["/whole", "/parts"])
def test_a_page_is_sent_completed(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.content == document.completed(PAGE, path) != PAGE
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert not {"etag", "last-modified", "content-encoding"} & set(answer.headers)


@pytest.mark.parametrize("path", ["/gone", "/data"])
def test_what_is_no_page_passes_as_it_is(client: TestClient, path: str) -> None:
    assert client.get(path).content == PAGE


def test_html_of_somebody_else_passes_with_its_length(client: TestClient) -> None:
    answer = client.get("/other")
    assert answer.content == b"<p>signed out</p>"
    assert answer.headers["content-length"] == "17"


def test_only_for_a_page_the_request_is_changed(client: TestClient) -> None:
    assert "if-none-match" not in client.get("/told").text
    told = client.get("/told", headers={"accept": "*/*"}).text
    assert "if-none-match" in told
    assert "accept-encoding" in told
    raw = client.get("/data", headers={"accept": "*/*", "accept-encoding": "gzip"})
    assert raw.headers["content-encoding"] == "gzip"
    assert len(gzip.compress(PAGE)) < len(PAGE) == len(raw.content)
