"""Trust of command sources: given for what was shown, lapsing when any of it changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.decisions import open_log
from core.errors import Conflict, NotAllowed
from core.people import Person, local_person
from core.text_fidelity import trust
from core.text_fidelity.config import check
from core.text_fidelity.place import EvalFolder
from tests.core.text_fidelity.evals import START, case, config, make_eval

ANN = local_person("Ann")


def command_eval(root: Path) -> EvalFolder:
    source = {"type": "command", "run": ["python3", "make.py", "--fast"]}
    folder = make_eval(root, given=config(case("a", source=source), case("b")), frozen=False)
    (folder.path / "make.py").write_text("print('hi')")
    return folder


def standing(folder: EvalFolder) -> trust.Trust:
    return trust.standing(folder, check(folder).usable(), open_log(folder.workspace))


def give(folder: EvalFolder) -> None:
    trust.trust(folder, check(folder).usable(), ANN, open_log(folder.workspace), START, standing(folder).token)


def test_nothing_runs_before_somebody_trusts_it(tmp_path: Path) -> None:
    folder = command_eval(tmp_path)
    policy, log = check(folder).usable(), open_log(folder.workspace)
    assert standing(folder).state == "never"
    with pytest.raises(NotAllowed, match="nobody trusts them yet"):
        trust.require(folder, policy, log)
    give(folder)
    found = standing(folder)
    assert (found.state, found.by) == ("trusted", "Ann")
    trust.require(folder, policy, log)


def test_an_eval_of_files_needs_no_trust(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    assert standing(folder).state == "none_needed"
    trust.require(folder, check(folder).usable(), open_log(folder.workspace))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("argv", "case 'a': another command"), ("script", "case 'a': a file it runs changed"),
        ("new", "case 'b': a new command"), ("gone", "case 'a': no longer runs a command"),
    ],
)  # fmt: skip
def test_trust_lapses_when_a_command_changes(tmp_path: Path, change: str, said: str) -> None:
    folder = command_eval(tmp_path)
    give(folder)
    made = json.loads(folder.config.read_text("utf-8"))
    if change == "argv":
        made["cases"][0]["source"]["run"][2] = "--slow"
    elif change == "script":
        (folder.path / "make.py").write_text("print('boo')")
    elif change == "new":
        made["cases"][1]["source"] = {"type": "command", "run": ["true"]}
    else:
        made["cases"] = [case("c", source={"type": "command", "run": ["true"]})]
    folder.config.write_text(json.dumps(made))
    found = standing(folder)
    assert (found.state, found.may_run) == ("lapsed", False)
    assert said in found.changed
    with pytest.raises(NotAllowed, match="changed since they were trusted"):
        trust.require(folder, check(folder).usable(), open_log(folder.workspace))


def test_what_was_shown_is_what_is_trusted(tmp_path: Path) -> None:
    folder = command_eval(tmp_path)
    token = standing(folder).token
    (folder.path / "make.py").write_text("print('slipped in')")
    with pytest.raises(Conflict):
        trust.trust(folder, check(folder).usable(), ANN, open_log(folder.workspace), START, token)
    assert standing(folder).state == "never"


def test_trust_can_be_taken_back_and_an_undo_counts(tmp_path: Path) -> None:
    folder = command_eval(tmp_path)
    log = open_log(folder.workspace)
    give(folder)
    trust.distrust(folder, ANN, log, START)
    assert standing(folder).state == "never"
    log.undo(ANN, log.records()[-1].seq)
    assert standing(folder).state == "trusted"
    log.undo(ANN, log.records()[0].seq)
    assert standing(folder).state == "never"


def test_a_looker_may_not_trust(tmp_path: Path) -> None:
    folder = command_eval(tmp_path)
    with pytest.raises(NotAllowed):
        trust.trust(
            folder, check(folder).usable(), Person("Lu", "looker"), open_log(folder.workspace), START,
            standing(folder).token,
        )  # fmt: skip
