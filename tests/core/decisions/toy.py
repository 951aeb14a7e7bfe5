"""A review of two files, small enough to be seen through, over which the log's promises are tested.

Pending entries are ``### name`` blocks. To accept one appends it with the decision to the reviewed file and takes it
out of the pending file; undo takes it back to where it was.
"""

import re
from collections import Counter
from pathlib import Path

from core.decisions import BatchPlan, Entry, Log, Plan, Record, open_log, undone
from core.errors import Conflict
from core.files.ops import AppendBlock, Cut, InsertBlock, RemoveBlocks
from core.people import local_person
from core.workspace import Workspace

HEAD = b"# Reviewed\n"
_BLOCK = re.compile(rb"^### (\w+)\n(?:(?!### ).*\n?)*", re.MULTILINE)


def build(root: Path, entries: int) -> Workspace:
    (root / "data").mkdir(parents=True)
    blocks = "".join(f"### e{number}\n- text {number}\n\n" for number in range(entries))
    (root / "data" / "pending.md").write_text(f"# Pending\n\n{blocks}")
    return Workspace.open(root)


def pending(workspace: Workspace) -> Path:
    return workspace.path("data/pending.md")


def reviewed(workspace: Workspace) -> Path:
    return workspace.path("data/reviewed.md")


def blocks(path: Path) -> list[tuple[str, Cut]]:
    content = path.read_bytes() if path.exists() else b""
    return [(found[1].decode(), Cut(found.start(), found[0])) for found in _BLOCK.finditer(content)]


def find(log: Log, path: Path, name: str) -> Cut:
    for found, cut in blocks(path):
        if found == name:
            return cut
    last = log.last(name)
    raise Conflict(f"{name} was decided by {last.reviewer}: {last.action}" if last else f"there is no {name}")


def decide(workspace: Workspace, who: str, name: str, action: str = "accept") -> Record:
    log = open_log(workspace)

    def plan() -> Plan:
        cut = find(log, pending(workspace), name)
        block = cut.data + f"- {action} by {who}\n".encode()
        ops = [AppendBlock(reviewed(workspace), block, HEAD), RemoveBlocks(pending(workspace), [cut])]
        return Plan(ops, {"offset": cut.offset, "entry": cut.data.decode(), "block": block.decode()})

    return log.decide(local_person(who), action, name, plan, lock_on=pending(workspace))


def decide_many(workspace: Workspace, who: str, names: list[str], action: str = "accept") -> list[Record]:
    log = open_log(workspace)

    def plan() -> BatchPlan:
        cuts = [(name, find(log, pending(workspace), name)) for name in names]
        added = {name: cut.data + f"- {action} by {who}\n".encode() for name, cut in cuts}
        ops = [
            AppendBlock(reviewed(workspace), b"".join(added.values()), HEAD),
            RemoveBlocks(pending(workspace), [cut for _, cut in cuts]),
        ]
        entries = [
            Entry(action, name, {"offset": cut.offset, "entry": cut.data.decode(), "block": added[name].decode()})
            for name, cut in cuts
        ]
        return BatchPlan(ops, entries)

    return log.decide_many(local_person(who), plan, lock_on=pending(workspace))


def undo(workspace: Workspace, who: str, seq: int) -> Record:
    log = open_log(workspace)

    def plan(target: Record) -> Plan:
        entry = target.payload["entry"].encode()
        content = pending(workspace).read_bytes()
        offset = min(target.payload["offset"], len(content))
        if content[offset - 1 : offset] != b"\n" or (offset < len(content) and content[offset : offset + 4] != b"### "):
            offset = len(content)
        return Plan(
            [
                InsertBlock(pending(workspace), entry, offset),
                RemoveBlocks(reviewed(workspace), [target.payload["block"].encode()]),
            ],
            {},
        )

    return log.undo(local_person(who), seq, plan, lock_on=pending(workspace))


def check(workspace: Workspace, names: set[str]) -> None:
    """Nothing lost, nothing doubled: each entry is in one file, once, and the log says the same."""
    log = open_log(workspace)
    assert log.half_done() == []
    verdict = log.verify()
    assert verdict.ok, [str(broken) for broken in verdict.broken]
    records = log.records()
    assert [record.seq for record in records] == list(range(1, len(records) + 1))
    back = undone(records)
    standing = [record for record in records if record.action in ("accept", "reject") and record.seq not in back]
    waiting = [name for name, _ in blocks(pending(workspace))]
    decided = [name for name, _ in blocks(reviewed(workspace))]
    assert {name: count for name, count in Counter(waiting + decided).items() if count > 1} == {}, "doubled"
    assert names - set(waiting + decided) == set(), "lost"
    assert set(waiting + decided) - names == set()
    assert sorted(record.subject for record in standing) == sorted(decided)
    text = reviewed(workspace).read_text() if reviewed(workspace).exists() else ""
    for record in standing:
        assert text.count(record.payload["block"]) == 1, record
    assert [path.name for path in (workspace.root / "data").iterdir() if path.name.endswith(".tmp")] == []
