"""What every judge takes and gives: one request, n samples, each a score or the reason there is none.

Every system that asks a model for an opinion (grade, score, cross-check, the report loop's judge) builds a
`JudgeRequest`, hands it to a `Judge` and reads `Sample`s. Text fidelity contract, "Judge"; it holds for every
judge. Nothing here opens a socket, a file or a clock; `open_judge` in `core.judge` gives the working judge.

    spec = JudgeSpec(provider="anthropic", model="claude-sonnet-4-6", temperature=0.6, max_tokens=1024)
    judge = open_judge(spec, workspace)
    request = JudgeRequest(instructions=rubric, untrusted={"reference": ref, "text": text}, reply=ScoreReply, samples=4)
    for sample in judge.ask(request):
        match sample:
            case Scored(value=reply): ...        # reply is a ScoreReply, validated
            case Unscored(reason=why): ...       # never a number, never 0

Rules that hold for every implementation:
- `ask` returns exactly `request.samples` samples, in order; a failed one stays in its place as `Unscored`. It does
  not raise for anything the judge, the network or the budget does. (It raises `ValueError` for a request that makes
  no sense, which is a fault of the caller.)
- instructions are trusted and go where the provider keeps them (system prompt); everything in `untrusted` is data,
  fenced with a marker that its own text cannot contain, and never instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Generic, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.judge.failures import RUN_ENDING as RUN_ENDING
from core.judge.failures import FailureKind as FailureKind

Reply = TypeVar("Reply", bound=BaseModel)

Provider = Literal["anthropic", "openai"]
Transport = Literal["api", "cli", "codex"]

PRACTICE_PREFIX = "practice-"
"""Model names of the practice judge start so; a spec with such a model is `practice` and no other spec is."""

PRACTICE_URL = "http://127.0.0.1:8599"
"""Where the practice judge listens, unless it is told another port."""


class ScoreReply(BaseModel):
    """The reply of a fidelity judge: `score` in [0, 1], and one sentence why (text fidelity contract, "Judge")."""

    model_config = ConfigDict(frozen=True)
    score: Annotated[float, Field(ge=0.0, le=1.0)]
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for the judge: `data` are the file's bytes, `media_type` as in `image/png`, `name` as it is called."""

    name: str
    data: bytes
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]


@dataclass(frozen=True)
class JudgeRequest(Generic[Reply]):
    """One question, asked `samples` times.

    instructions  trusted: the rubric, the scale, what to look at. Written by us or frozen by a reviewer.
    untrusted     part name to text: the reference, the text under test, an entry. Order is kept. Shown fenced.
    reply         the pydantic model of the answer. Closed ranges go into its fields (`Field(ge=0, le=2)`); its
                  required fields other than `reasoning` are what an answer must hold at its top level.
    images        shown in this order, each announced by its name.
    key           the caller's own name for this question (an entry's id, a case's id); comes back in progress; not
                  part of the prompt and not part of the fingerprint.
    series        samples are cached by content. Where the same question must be asked afresh (a new run of the
                  same frozen definition over the same text), give each run its own series; a run that was cut short
                  and is tried again keeps its series and only the missing samples are asked. Empty: always reuse.
    """

    instructions: str
    untrusted: Mapping[str, str]
    reply: type[Reply]
    images: tuple[Image, ...] = ()
    samples: int = 1
    key: str = ""
    series: str = ""

    def __post_init__(self) -> None:
        """Raise `ValueError` for no instructions, fewer than one sample, or a part without a name."""
        if not self.instructions.strip():
            raise ValueError("a judge request needs instructions")
        if self.samples < 1:
            raise ValueError("a judge request needs at least one sample")
        if any(not name.strip() for name in self.untrusted):
            raise ValueError("every untrusted part needs a name")


def is_local(url: str | None) -> bool:
    """True for an address on this machine (localhost, 127.0.0.0/8, ::1)."""
    host = (urlsplit(url).hostname or "") if url else ""
    return host in ("localhost", "::1") or host.startswith("127.")


class JudgeSpec(BaseModel):
    """Which judge, and how it is asked. Holds no key: keys live in the environment only.

    provider     whose protocol is spoken. `cli` is always anthropic's, `codex` always openai's.
    transport    `api` the official SDK; `cli` headless `claude -p`; `codex` headless `codex exec`.
    temperature  None: not sent. Ignored by `cli` and `codex`, and each sample's note says so. So is max_tokens.
    base_url     a server that speaks the provider's protocol (Ollama, vLLM, a gateway); None: ANTHROPIC_BASE_URL or
                 OPENAI_BASE_URL, else the provider's own. The provider's key is sent to the provider's own address
                 and to the one in those variables, never to an address that stands in a file (TOUCHSTONE_JUDGE_KEY
                 is the key for such an address).
    effort       how much thought a reasoning model is asked for, where the model has such a setting; None: not sent.
    timeout_s    seconds one call may take, retries not counted.
    structured   ask for the provider's structured output where there is one; the reply is read strictly either way.
    practice     the practice judge: no model, a function of the text. True exactly for models named "practice-…"; its
                 address is on this machine (TOUCHSTONE_PRACTICE_URL), so neither is ever taken for the other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    provider: Provider = "anthropic"
    transport: Transport = "api"
    model: str = Field(min_length=1)
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 1024
    effort: Literal["minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    base_url: str | None = None
    timeout_s: Annotated[float, Field(gt=0.0)] = 120.0
    max_retries: Annotated[int, Field(ge=0, le=10)] = 2
    structured: bool = True
    practice: bool = False

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: object) -> object:
        if isinstance(given, dict) and str(given.get("model", "")).startswith(PRACTICE_PREFIX):
            return {"practice": True, **given}
        return given

    @model_validator(mode="after")
    def _agree(self) -> JudgeSpec:
        if self.transport == "cli" and self.provider != "anthropic":
            raise ValueError("transport cli is claude -p: its provider is anthropic")
        if self.transport == "codex" and self.provider != "openai":
            raise ValueError("transport codex is codex exec: its provider is openai")
        if self.practice != self.model.startswith(PRACTICE_PREFIX):
            raise ValueError(f"practice and a model named {PRACTICE_PREFIX}… go together, and only together")
        if self.practice and (self.transport != "api" or not is_local(self.base_url or PRACTICE_URL)):
            raise ValueError("the practice judge is reached by transport api at an address on this machine")
        return self


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one sample, all its calls together. None is unknown, which is not 0.

    calls: HTTP or CLI calls whose reply was received (a retried 429 is not one). cost_usd: US dollars, from the
    price file or, where `cost_reported`, as the CLI itself said.
    """

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    cost_reported: bool = False


@dataclass(frozen=True)
class Fingerprint:
    """Who was asked what: two samples with the same `hash` are answers of the same judge to the same question.

    endpoint: scheme, host, port and path of the server (no user, password or query), "" for the provider's own.
    parameters: temperature, max_tokens, effort, whether a structured reply was asked for. prompt_hash: "sha256:…" over
    instructions, untrusted parts, image bytes and the reply's schema. hash: "sha256:…" over all of these.
    """

    provider: Provider
    transport: Transport
    model: str
    endpoint: str
    parameters: Mapping[str, float | int | bool | str | None]
    prompt_hash: str
    practice: bool
    hash: str


@dataclass(frozen=True)
class Scored(Generic[Reply]):
    """A usable answer. value: the validated reply; raw: every character the judge sent, reasoning included.

    reasoning: the reply's own sentence, or "". note: what a reader must know (a decimal string was read as a number,
    the object was taken out of chat text, decoding parameters were ignored, an earlier reply was unusable, practice),
    else "". model: as the server named it. cached: it came from the workspace's store and cost nothing now; usage is
    then what it cost when it was asked. discarded: the unusable replies before it, in order.
    """

    value: Reply
    raw: str
    reasoning: str
    usage: Usage
    fingerprint: Fingerprint
    note: str = ""
    model: str = ""
    cached: bool = False
    discarded: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unscored:
    """No answer. reason: one line that may be shown; kind: its name; raws: whatever the judge did send, in order.

    state is the contract's word: `env_error`, or `not_asked` for a budget or a stop. Neither is a number.
    until: where the provider named one, the instant (ISO 8601, UTC) before which it need not be asked again.
    """

    reason: str
    kind: FailureKind
    raws: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    fingerprint: Fingerprint | None = None
    until: str | None = None

    @property
    def state(self) -> Literal["env_error", "not_asked"]:
        """`not_asked` for a budget or a stop, else `env_error`."""
        return "not_asked" if self.kind in ("budget", "cancelled") else "env_error"


Sample = Scored[Reply] | Unscored


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands. done counts samples of `total`, of which `cached` cost nothing; key: the last request's.

    cost_usd: US dollars spent by this run so far, None where the price of one of its calls is unknown.
    """

    done: int
    total: int
    scored: int
    unscored: int
    cached: int
    cost_usd: float | None
    key: str


OnProgress = Callable[[Progress], None]
Cancel = Callable[[], bool]
"""Asked several times a second; True stops the run: nothing new is asked, what is under way is dropped."""


class Judge(Protocol):
    """Asks a model. `open_judge(spec, workspace, budget=…)` gives one; tests may write their own in five lines."""

    @property
    def spec(self) -> JudgeSpec:
        """What this judge is."""
        ...

    def fingerprint(self, request: JudgeRequest[Reply]) -> Fingerprint:
        """The fingerprint a sample of this request would carry; asks nobody."""
        ...

    def ask(self, request: JudgeRequest[Reply]) -> list[Sample[Reply]]:
        """`request.samples` samples, in order."""
        ...

    def ask_many(
        self,
        requests: Sequence[JudgeRequest[Reply]],
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> list[list[Sample[Reply]]]:
        """One list a request, in order, all samples of all requests under one concurrency limit.

        on_progress is called in the caller's own thread after every sample. Samples are stored as they arrive, so a
        killed run asks only what is missing.
        """
        ...
