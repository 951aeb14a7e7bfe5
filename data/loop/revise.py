"""Revise one draft in place: a small stand-in for an agent, for `report loop` (docs/report-loop.md).

It takes its proposals from revisions.json in the run folder, one after the other for each dimension, and leaves frozen
nodes alone.
"""

import json
import sys
from pathlib import Path


def main():
    question = json.load(sys.stdin)
    path = Path(question["draft"])
    proposals = json.loads((Path(question["folder"]) / "revisions.json").read_text("utf-8"))
    draft = path.read_bytes().decode("utf-8")
    tried = question["edit_counts"]
    for proposal in proposals[question["target_dim"]]:
        node = proposal["node_id"]
        if node in question["frozen"] or tried.get(node, 0) != proposal.get("try", 0):
            continue
        if proposal["before"] not in draft:
            continue
        path.write_bytes(draft.replace(proposal["before"], proposal["after"], 1).encode("utf-8"))
        json.dump({"node_id": node}, sys.stdout)
        return
    json.dump({"node_id": None}, sys.stdout)


if __name__ == "__main__":
    main()
