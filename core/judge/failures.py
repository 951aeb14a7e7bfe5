"""The names of everything that can keep a judge from answering."""

from __future__ import annotations

from typing import Literal

FailureKind = Literal[
    "no_key",  # the provider's key is not in the environment
    "unauthorized",  # 401 or 403, or the CLI is not logged in
    "no_model",  # 404: the model does not exist, or was retired
    "rate_limited",  # 429 after the retries, or a wait of more than 60 s was asked for
    "overloaded",  # 529 or 503 after the retries
    "server_error",  # another 5xx after the retries
    "bad_request",  # another 4xx: what was asked is not what this server takes
    "unreachable",  # no connection
    "timeout",  # no answer in time
    "not_json",  # the server answered 200 with something that is not its protocol (an HTML page)
    "refused",  # the model declined, three times
    "cut",  # the reply ended at max_tokens, three times
    "bad_reply",  # three replies, none of them usable
    "not_installed",  # the CLI was not found
    "cli_error",  # the CLI exited non-zero or reported an error inside its JSON
    "budget",  # not asked: the budget would have been exceeded
    "cancelled",  # not asked, or stopped, because the run was stopped
]

RUN_ENDING: frozenset[FailureKind] = frozenset(
    {"no_key", "unauthorized", "no_model", "not_installed", "budget", "cancelled"}
)
"""Failures that hold for the whole run: what has not been asked yet is not asked, and says the same reason. So does a
wait of more than 60 s, and a long row of failures without one answer between them."""
