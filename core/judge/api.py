"""What both SDKs share: where a server is, which key it gets, when not to retry, and what each error is called."""

from __future__ import annotations

import email.utils
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx2

from core import times
from core.judge.prompt import public_address
from core.judge.protocol import PRACTICE_URL, FailureKind, JudgeSpec, Provider, is_local
from core.judge.redact import one_line
from core.judge.transport import LONGEST_WAIT_SECONDS, MAX_CONCURRENCY, CallFailed, current_attempt

OWN_ADDRESS: dict[Provider, str] = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com/v1"}
_KEY_NAMES: dict[Provider, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "openai": ("OPENAI_API_KEY",),
}
OTHER_KEY = "TOUCHSTONE_JUDGE_KEY"
_NO_KEY_NEEDED = "no-key"
_LONGEST_TOLD = 366 * 86_400.0  # seconds; what is longer (or infinite) is told as this


@dataclass(frozen=True, repr=False)
class Address:
    """A server and the key it may see. Without a `repr`, so that the key cannot stand in a log or a traceback.

    endpoint: as it may be shown, None for the provider's own. theirs: the address was named by the person who runs
    this (or is the provider's own), not by a file, so the provider's key and headers may go there.
    """

    provider: Provider
    base_url: str
    key: str | None
    key_name: str
    endpoint: str | None
    theirs: bool


def address_of(spec: JudgeSpec, environ: Mapping[str, str] | None = None) -> Address:
    """Where a spec's judge is, from the spec and the environment (`ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`)."""
    env = os.environ if environ is None else environ
    own = OWN_ADDRESS[spec.provider]
    named = _practice_url(spec, env) if spec.practice else env.get(f"{spec.provider.upper()}_BASE_URL") or None
    url = spec.base_url or named or own
    official = urlsplit(url).hostname == urlsplit(own).hostname and urlsplit(url).scheme == "https"
    theirs = not spec.practice and (official or spec.base_url is None or spec.base_url == named)
    names = _KEY_NAMES[spec.provider] if theirs else (OTHER_KEY,)
    found = next(((name, env[name]) for name in names if env.get(name)), None)
    if spec.practice:
        found = ("", "practice")
    elif found is None and not official:
        found = ("", _NO_KEY_NEEDED)
    return Address(
        provider=spec.provider,
        base_url=url,
        key=found[1] if found else None,
        key_name=found[0] if found else names[0],
        endpoint=None if official else public_address(url),
        theirs=theirs,
    )


def _practice_url(spec: JudgeSpec, environ: Mapping[str, str]) -> str:
    """The practice judge's address on this machine; a variable that names another machine is not followed."""
    told = environ.get("TOUCHSTONE_PRACTICE_URL")
    root = (told if told and is_local(told) else PRACTICE_URL).rstrip("/")
    return f"{root}/v1" if spec.provider == "openai" else root


def client_options(spec: JudgeSpec, address: Address, stop: Callable[[str], Exception]) -> dict[str, Any]:
    """Arguments for an SDK's async httpx client: hooks, time-outs, no redirects (a key must not travel on).

    stop: makes the exception that leaves the SDK's retry loop at once.
    """
    theirs = _header_names(os.environ) if not address.theirs else frozenset()

    async def before(request: httpx2.Request) -> None:
        for name in theirs:
            request.headers.pop(name, None)
        attempt = current_attempt.get()
        if attempt and not attempt.sending():
            raise stop("no room in the budget for a repeat of a call that was not answered")

    return {
        "event_hooks": {"request": [before], "response": [_after]},
        "follow_redirects": False,
        "timeout": httpx2.Timeout(spec.timeout_s, connect=min(10.0, spec.timeout_s)),
        "limits": httpx2.Limits(max_connections=MAX_CONCURRENCY, max_keepalive_connections=MAX_CONCURRENCY),
        "trust_env": not is_local(address.base_url),
        # Loading the certificates takes 50 ms; plain http has none to check (and redirects are not followed).
        "verify": urlsplit(address.base_url).scheme != "http",
    }


def _header_names(environ: Mapping[str, str]) -> frozenset[str]:
    """Headers that an SDK takes from the environment, which are meant for the provider only."""
    lines = "\n".join(environ.get(f"{name}_CUSTOM_HEADERS", "") for name in ("ANTHROPIC", "OPENAI")).splitlines()
    return frozenset({line.partition(":")[0].strip() for line in lines if ":" in line}) | {
        "openai-organization",
        "openai-project",
    }


async def _after(response: httpx2.Response) -> None:
    """Say what may be retried: 429 and 5xx, unless the wait asked for is too long; no other 4xx."""
    attempt = current_attempt.get()
    if attempt and response.status_code >= 300:  # an answer that was begun and breaks off may be billed all the same
        attempt.answered = attempt.sent
    if _retried(response.status_code):
        wait = retry_after(response.headers, times.now())
        if wait is not None and wait > LONGEST_WAIT_SECONDS:
            response.headers["x-should-retry"] = "false"
    elif response.status_code >= 300:
        response.headers["x-should-retry"] = "false"


def _retried(status: int) -> bool:
    return status == 429 or status >= 500


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The wait in seconds that a server asks for, by `retry-after-ms` or `retry-after` (seconds or a date), or None."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            wait = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return min(wait, _LONGEST_TOLD) if wait > 0 else None  # nan is not above 0
    try:
        when = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    wait = ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds()
    return min(wait, _LONGEST_TOLD)


_BY_STATUS: dict[int, FailureKind] = {401: "unauthorized", 402: "unauthorized", 403: "unauthorized", 404: "no_model"}


def status_failure(
    status: int, headers: Mapping[str, str], body: object, address: Address, now: datetime
) -> CallFailed:
    """The failure that an HTTP status stands for, with the server's own words."""
    said = said_by(body)
    if 300 <= status < 400:
        return CallFailed("not_json", f"the server sent the call on to another address (HTTP {status}): {_at(address)}")
    if status == 404 and said is None:
        return CallFailed("bad_request", f"nothing answers at this address (HTTP 404): {_at(address)}")
    kind = _BY_STATUS.get(status)
    if kind is None and _retried(status):
        kind = "rate_limited" if status == 429 else "overloaded" if status in (503, 529) else "server_error"
    wait = retry_after(headers, now) if _retried(status) else None
    told = f"HTTP {status}: {said or 'no reason given'}"
    if wait is not None and wait > LONGEST_WAIT_SECONDS:
        until = times.iso((now + timedelta(seconds=math.ceil(wait))).replace(microsecond=0))
        return CallFailed(kind or "rate_limited", f"the judge asks to wait until {until} ({told})", until=until)
    return CallFailed(kind or "bad_request", f"{_word(kind)}{told}")


def _word(kind: FailureKind | None) -> str:
    words = {
        "unauthorized": "the key was refused, ",
        "no_model": "the model is not there (unknown, or retired), ",
        "rate_limited": "still rate-limited after the retries, ",
        "overloaded": "still overloaded after the retries, ",
        "server_error": "still failing after the retries, ",
    }
    return words.get(kind or "", "")


def _at(address: Address) -> str:
    return public_address(address.base_url)


def said_by(body: object) -> str | None:
    """The message in an error body of either protocol, as one line that may be shown; None where there is none."""
    if isinstance(body, Mapping):
        error = body.get("error", body)
        message = error.get("message") if isinstance(error, Mapping) else error
        return one_line(str(message)) if message else None
    return None


def no_key(address: Address) -> CallFailed:
    """What is said where the provider's own server would be asked without a key."""
    return CallFailed("no_key", f"{address.key_name} is not set in the environment")


def not_the_protocol(address: Address, got: object) -> CallFailed:
    """A 200 that is not the provider's protocol, such as a gateway's HTML page."""
    shown = one_line(got, 80) if isinstance(got, str) else "JSON without a message in it"
    told = f"{_at(address)} answered with something that is not its protocol: {shown}"
    return CallFailed("not_json", told, unbilled=False)


def no_connection(address: Address, error: BaseException) -> CallFailed:
    """A connection that failed. Only one that never stood is sure to have cost nothing."""
    cause = error.__cause__ or error
    told = one_line(str(cause)) or type(cause).__name__
    never = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
    return CallFailed("unreachable", f"{_at(address)} cannot be reached: {told}", unbilled=never)
