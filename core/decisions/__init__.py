"""Every decision by a person: append-only, chained by hashes, and the one road by which decisions change files.

| module | what |
|---|---|
| `log`     | `Log`: decide, append, undo, heal, read, verify |
| `records` | records, their canonical form and hash |
| `fold`    | state that the log adds up to |
| `verify`  | the chain read back |
| `export`  | JSON Lines and CSV |
| `intents` | half-done decisions and how they are finished |
| `locks`   | who may touch a file now |
| `engine`  | SQLite or PostgreSQL; `schema`: tables and migrations; `store`: the statements |

Triage contract, The decision log; docs/decisions/0001-decision-order.md.
"""

from core.decisions.fold import Fold, Undone, undone
from core.decisions.log import BatchPlan, Log, Plan, Version
from core.decisions.records import UNDO, Entry, Record
from core.decisions.store import Filter, Intent
from core.decisions.verify import Broken, Verdict
from core.workspace import Workspace

__all__ = [
    "UNDO",
    "BatchPlan",
    "Broken",
    "Entry",
    "Filter",
    "Fold",
    "Intent",
    "Log",
    "Plan",
    "Record",
    "Undone",
    "Verdict",
    "Version",
    "open_log",
    "undone",
]


def open_log(workspace: Workspace, *, writable: bool = False) -> Log:
    """The log of a workspace. Cheap; reading through it creates nothing.

    With ``writable`` (an app that starts, a command that decides) half-done decisions of killed processes are finished
    first. Raises Unavailable when that cannot be done, or the database cannot be reached.
    """
    log = Log(workspace)
    if writable:
        log.heal()
    return log
