"""Judges: one protocol, several transports. The only place that talks to a model.

| module | what |
|---|---|
| `protocol`, `failures` | what a judge is given and gives back; start here |
| `opening`  | `open_judge(spec, workspace)`, the one way to a judge |
| `reply`    | a reply read strictly, `parse_reply` |
| `prompt`   | trusted instructions, fenced material, fingerprints |
| `prices`, `budget` | what a call costs, and what may be spent |
| `cache`    | samples by content, in the workspace |
| `judge`, `run`, `sampler` | a run: cache, threads, one sample |
| `anthropic_api`, `openai_api`, `claude_cli`, `codex_cli` | the four ways to a model |
| `batch`    | the providers' batch APIs: submit, resume, collect |
| `practice` | a server that speaks both protocols: the tests' counterpart and the practice judge |

No SDK is imported before the first call.
"""

from core.judge.budget import Budget
from core.judge.cache import SampleCache
from core.judge.judge import WorkspaceJudge
from core.judge.opening import open_judge, spec_of
from core.judge.protocol import (
    Cancel,
    Fingerprint,
    Image,
    Judge,
    JudgeRequest,
    JudgeSpec,
    Progress,
    Sample,
    Scored,
    ScoreReply,
    Unscored,
    Usage,
)
from core.judge.reply import ReplyError, parse_as, parse_reply

__all__ = [
    "Budget",
    "Cancel",
    "Fingerprint",
    "Image",
    "Judge",
    "JudgeRequest",
    "JudgeSpec",
    "Progress",
    "ReplyError",
    "Sample",
    "SampleCache",
    "ScoreReply",
    "Scored",
    "Unscored",
    "Usage",
    "WorkspaceJudge",
    "open_judge",
    "parse_as",
    "parse_reply",
    "spec_of",
]
