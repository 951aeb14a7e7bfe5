"""Waiting for a page to be done: "not running" right after a click is wrong nine times in ten, so quiet is measured."""

from __future__ import annotations

from playwright.sync_api import Page

#: Runs in a page before Streamlit does: notes when something was last asked of the server, and last heard from it.
SOCKET = """(() => {
  const seen = (window.__socket = { sent: 0, heard: 0 });
  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", () => { seen.heard = performance.now(); });
    }
    send(data) { seen.sent = performance.now(); super.send(data); }
  };
})();"""

_QUIET = """([quiet, timeout]) => new Promise((resolve, reject) => {
  const begun = performance.now();
  let moved = begun;
  const watch = new MutationObserver(() => { moved = performance.now(); });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  const unfinished = ["stSkeleton", "stAppSkeleton", "stStaleElement"].map((id) => `[data-testid=${id}]`).join() +
    ", [data-stale=true]";
  const idle = () => {
    const app = document.querySelector("[data-testid=stApp]");
    const socket = window.__socket;
    if (socket && socket.sent > socket.heard) return false;  // asked, and not yet answered
    return app && app.dataset.testScriptState === "notRunning" && app.dataset.testConnectionState === "CONNECTED"
      && !document.querySelector(unfinished);
  };
  const look = () => {
    const now = performance.now();
    const done = idle();
    if (!done) moved = now;
    if (done && now - moved >= quiet) { watch.disconnect(); resolve(Math.round(now - begun)); return; }
    if (now - begun > timeout) {
      watch.disconnect();
      reject(new Error("not settled: " + JSON.stringify(document.querySelector("[data-testid=stApp]")?.dataset)));
      return;
    }
    setTimeout(look, 25);
  };
  look();
})"""


def settle(page: Page, quiet: int = 250, timeout: int = 20_000) -> int:
    """Wait until nothing runs, nothing is asked and nothing has moved for ``quiet`` ms; returns the ms it took.

    Raises playwright's Error when that has not come about after ``timeout`` ms.
    """
    waited: int = page.evaluate(_QUIET, [quiet, timeout])
    return waited
