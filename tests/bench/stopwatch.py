"""Times in Chromium, taken by the page itself: Playwright looks only twice a second once it has waited for a while.

A page is timed from the moment its navigation began, a key from the moment it went down, each to the frame in which
what was waited for has been drawn.
"""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.server import Server
from tests.browser.settle import SOCKET, settle

_KEY = "window.addEventListener('keydown', () => { window.__down = performance.now(); }, true);"

# The frame after the one in which `drawn`, a JavaScript expression, became true.
_DRAWN = """(drawn) => new Promise((resolve) => {
  const look = () => (drawn() ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look));
  look();
})"""

_NEXT = """(selector) => new Promise((resolve, reject) => {
  const title = () => document.querySelector(selector)?.textContent;
  const before = title();
  const watch = new MutationObserver(() => {
    if (!title() || title() === before) return;
    watch.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - window.__down));
  });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => { watch.disconnect(); reject(new Error("no next item within ten seconds")); }, 10_000);
})"""


def fresh(browser: Browser) -> Page:
    """A visitor who has never been here: nothing cached, 1440×900."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}, timezone_id="UTC").new_page()
    page.add_init_script(_KEY)
    page.add_init_script(SOCKET)
    return page


def opened(page: Page, url: str, drawn: str) -> float:
    """Milliseconds from going to an address until ``drawn`` (a JavaScript function) says true."""
    page.goto(url, wait_until="commit")
    return until(page, drawn)


def until(page: Page, drawn: str) -> float:
    """Milliseconds since the document began to load until ``drawn`` says true."""
    taken: float = page.evaluate(f"() => ({_DRAWN})({drawn})")
    return taken


def there(selector: str) -> str:
    """``drawn`` for one element: it is there and says something."""
    return f"() => Boolean(document.querySelector({selector!r})?.textContent)"


def press(page: Page, key: str, selector: str) -> float:
    """Milliseconds from a key going down until the title at ``selector`` is another."""
    page.evaluate(f"() => {{ window.__next = ({_NEXT})({selector!r}); }}")
    page.keyboard.press(key)
    taken: float = page.evaluate("() => window.__next")
    settle(page, quiet=120)
    return taken


def cpu_ms(server: Server) -> float:
    """Processor time of the server so far, in milliseconds (its children included in none)."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 10.0


def idle(server: Server, seconds: float = 0.5) -> None:
    """Return when the server has used no processor for that long: its imports are done."""
    used, since = -1.0, time.monotonic()
    while time.monotonic() - since < seconds:
        now = cpu_ms(server)
        if now > used + 10:
            used, since = now, time.monotonic()
        threading.Event().wait(0.05)


def p95(values: list[float]) -> float:
    """The 95th percentile of at least two values."""
    return statistics.quantiles(values, n=20)[-1]
