"""Keys stay in the environment: nothing that is written, logged or shown carries one, and child processes get few."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|COOKIE)S?(?:_|$)|CUSTOM_HEADERS", re.IGNORECASE
)
_KEY_SHAPE = re.compile(r"\b(?:sk|sess|rk|pk)-(?=\S*[\d*])[A-Za-z0-9_*.\-]{12,}")
_BEARER = re.compile(r"(?i)\b(bearer|x-api-key:?)\s+(?=\S*\d)\S{12,}")
_SHORTEST = 8
_GONE = "[key removed]"

_PASSED_ON = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TERM|TMPDIR|XDG_.*|SSL_CERT_FILE|SSL_CERT_DIR"
    r"|NODE_EXTRA_CA_CERTS|(?:HTTPS?|NO|ALL)_PROXY"
)


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of an environment's secret variables, longest first."""
    values = {value.strip() for name, value in environ.items() if _SECRET_NAME.search(name)}
    return tuple(sorted((value for value in values if len(value) >= _SHORTEST), key=len, reverse=True))


def redact(text: str, secrets: Iterable[str] | None = None) -> str:
    """The text without any of these secrets (None: the environment's) and without anything shaped like a key.

    Lone surrogates, which no file can hold, become their escapes.
    """
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    for secret in secrets_of(os.environ) if secrets is None else secrets:
        text = text.replace(secret, _GONE)
    return _BEARER.sub(rf"\1 {_GONE}", _KEY_SHAPE.sub(_GONE, text))


def one_line(text: str, longest: int = 300) -> str:
    """Something from outside as one line that may be shown: redacted, without control characters, cut."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in redact(text)).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def scrubbed_environment(also: Iterable[str] = ()) -> dict[str, str]:
    """The environment a command-line judge runs in: what a program needs to run, and its own variables named in `also`.

    API keys and tokens are left out, so that `claude -p` uses the subscription it is logged in with.
    """
    wanted = set(also)
    return {name: value for name, value in os.environ.items() if name in wanted or _PASSED_ON.fullmatch(name.upper())}
