"""The deployment as compose.yaml describes it, with the same processes and without containers.

Two dashboards on one PostgreSQL and one workspace, behind nginx with the shipped configuration and TLS, sign-in by a
local identity provider, six reviewers in browsers of their own. Needs nginx and openssl on this machine.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import Template

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from core.decisions.engine import URL_VARIABLE
from core.triage.inbox import open_inbox
from core.workspace import Workspace
from tests import postgres
from tests.browser import identity, team
from tests.browser import server as servers
from tests.browser.conftest import chromium
from tests.browser.server import ROOT, Server
from tests.browser.settle import SOCKET, settle
from tests.core.triage import crowd

pytestmark = pytest.mark.bench

HOST = "touchstone.test"
RUNS, ENTRIES = 6, 18
NAMES = [f"reviewer{number}@example.org" for number in range(6)]


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", f"--host-resolver-rules=MAP {HOST} 127.0.0.1"]
        )
        yield running
        running.close()


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[str]:
    port = servers.free_port()
    with (tmp_path / "idp.log").open("wb") as sink:
        command = [sys.executable, "-m", "tests.browser.identity", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=sink, stderr=sink)
    address = f"http://127.0.0.1:{port}"
    servers.wait_until_up(
        Server(address, tmp_path, process, tmp_path / "idp.log"), path="/.well-known/openid-configuration"
    )
    yield address
    process.terminate()
    process.wait(timeout=15)


def configuration(place: Path, ports: list[int], http: int, https: int) -> Path:
    """The shipped template, filled in as the image does, with this machine's ports and folders."""
    apps = " ".join(f"server 127.0.0.1:{port};" for port in ports)
    text = Template((ROOT / "deploy" / "nginx.conf.template").read_text()).safe_substitute(
        TOUCHSTONE_HOST=HOST, TOUCHSTONE_APPS=apps
    )
    text = re.sub(
        r"listen 80\b", f"listen 127.0.0.1:{http}", re.sub(r"listen 443\b", f"listen 127.0.0.1:{https}", text)
    )
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={HOST}"]
    subprocess.run([*key, "-keyout", place / "key.pem", "-out", place / "cert.pem"], check=True, capture_output=True)
    file = place / "nginx.conf"
    temporary = "".join(f"{name}_temp_path {place}/{name};\n" for name in (
        "client_body", "proxy", "fastcgi", "uwsgi", "scgi",
    ))  # fmt: skip
    file.write_text(
        f"pid {place}/nginx.pid;\nerror_log {place}/error.log;\nevents {{}}\nhttp {{\naccess_log {place}/access.log;\n"
        f"{temporary}{text.replace('/etc/nginx/tls', str(place))}\n}}\n"
    )
    return file


@pytest.fixture
def deployed(tmp_path: Path, issuer: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[Server]]]:
    """The address of the proxy, and the two dashboards behind it."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert nginx, "this bench needs nginx: apt-get install nginx-light"
    http, https, *ports = (servers.free_port() for _ in range(4))
    tmp_path.chmod(0o755)
    with postgres.server() as url:
        monkeypatch.setenv(URL_VARIABLE, url)
        workspace = crowd.workspace_of(tmp_path / "shared", RUNS, ENTRIES)
        names = ", ".join(f'"{name}"' for name in NAMES)
        (workspace.root / "touchstone.toml").write_text(f"[people]\nreviewers = [{names}]\n")
        secrets = tmp_path / "secrets.toml"
        secrets.write_text(f'''[auth]
redirect_uri = "https://{HOST}:{https}/oauth2callback"
cookie_secret = "a secret of the tests, thirty-two bytes or more"
client_id = "touchstone"
client_secret = "shared"
server_metadata_url = "{issuer}/.well-known/openid-configuration"
''')
        running = [
            servers.start(
                workspace.root, tmp_path / f"{port}.log", port=port, wait=False,
                env={URL_VARIABLE: url, "TOUCHSTONE_SIGN_IN": "required"},
                options=["--browser.serverAddress", HOST, "--secrets.files", str(secrets)],
            )
            for port in ports
        ]  # fmt: skip
        for one in running:
            servers.wait_until_up(one)
        proxy = subprocess.Popen([nginx, "-c", configuration(tmp_path, ports, http, https), "-g", "daemon off;"])
        listening(proxy, https)
        yield f"https://{HOST}:{https}", running
        proxy.terminate()
        proxy.wait(timeout=15)
        for one in running:
            one.stop()


def listening(process: subprocess.Popen[bytes], port: int, seconds: float = 30) -> None:
    """Return when something accepts connections there. Raises TimeoutError."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if servers.ended_within(process, 0.02):
            break
    raise TimeoutError(f"nothing listens on {port}")


def signed_in(browser: Browser, address: str, issuer: str, name: str, item: str) -> Page:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, ignore_https_errors=True)
    context.add_init_script(SOCKET)
    page = context.new_page()
    identity.next_is(issuer, email=name)
    page.goto(f"{address}/triage?id={item}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Needs human", level=1)).to_be_visible(timeout=30_000)
    settle(page, quiet=0, timeout=60_000)
    return page


def node(page: Page) -> str:
    return next(one["value"] for one in page.context.cookies() if one["name"] == "touchstone_node")


def test_six_reviewers_behind_the_proxy(
    browser: Browser, deployed: tuple[str, list[Server]], issuer: str, tmp_path: Path
) -> None:
    address, running = deployed
    workspace = Workspace.open(running[0].workspace)
    waiting = open_inbox(workspace, datetime.now(UTC)).waiting
    assert len(waiting) == RUNS + ENTRIES
    pages = [
        signed_in(browser, address, issuer, name, waiting[number * 4].finding.id) for number, name in enumerate(NAMES)
    ]
    kept = [node(page) for page in pages]
    assert len(set(kept)) == len(NAMES)
    begun = time.monotonic()
    team.clear(pages, workspace, RUNS + ENTRIES)
    taken = time.monotonic() - begun
    done = team.check(workspace, RUNS + ENTRIES, set(NAMES))
    assert [node(page) for page in pages] == kept
    print(f"\n{RUNS + ENTRIES} items by {len(NAMES)} browsers behind nginx in {taken:.0f} s: {dict(done)}")
    for page in pages:
        page.context.close()


def test_another_name_gets_no_answer(deployed: tuple[str, list[Server]]) -> None:
    """What points another site's name at this address (DNS rebinding) is hung up on."""
    address, _ = deployed
    port = address.rsplit(":", 1)[1]
    asked = ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "10"]
    there = subprocess.run([*asked, "--resolve", f"{HOST}:{port}:127.0.0.1", f"{address}/_stcore/health"],
                           capture_output=True, text=True)  # fmt: skip
    other = subprocess.run([*asked, f"https://127.0.0.1:{port}/_stcore/health"], capture_output=True, text=True)
    assert (there.stdout, other.stdout) == ("200", "000")
