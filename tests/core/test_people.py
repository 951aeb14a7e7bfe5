"""Who may do what: claims, roles, the end of a sign-in, and every function that writes for a person, by each role."""

import ast
import hashlib
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.decisions import Plan, open_log
from core.decisions.log import BatchPlan
from core.errors import NotAllowed, TouchstoneError
from core.people import SIGN_IN_LASTS, Person, local_person, may, require, role_of, signed_in_person
from core.render_fidelity import notes, run_judge, scoring, views
from core.render_fidelity.draft import Draft
from core.report_loop import decide as loop
from core.report_loop.residue import Item as Residue
from core.suggestions import answers, confirm, refusals, review, store, threshold
from core.suggestions.maintain import maintain
from core.text_fidelity import approval, trust
from core.text_fidelity.place import at
from core.triage import effects, inbox
from core.triage.inbox import open_inbox
from core.workspace import Workspace

ROOT = Path(__file__).parents[2]
PEOPLE = (
    '[people]\nadministrators = ["ada@x.org"]\nreviewers = [" Rev@X.org "]\nlookers = ["look@x.org", "rev@x.org"]\n'
)
NOW = datetime.now(UTC)


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "touchstone.toml").write_text(PEOPLE)
    return Workspace.open(tmp_path)


def claims(email, **more):
    return {"email": email, "iat": NOW.timestamp(), **more}


def test_roles_by_address_whatever_its_case_and_the_highest_counts(workspace):
    assert [role_of(one, workspace) for one in ("ADA@x.org", "rev@x.org", "look@x.org", "x@x.org", "", " ")] == [
        "administrator", "reviewer", "looker", "stranger", "stranger", "stranger",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("email", "deeds"),
    [
        ("ada@x.org", {"look", "decide", "administer"}),
        ("rev@x.org", {"look", "decide"}),
        ("look@x.org", {"look"}),
        ("mallory@x.org", set()),
    ],
)
def test_what_each_role_may_do(workspace, email, deeds):
    person = signed_in_person(claims(email), workspace)
    assert {deed for deed in ("look", "decide", "administer") if may(person, workspace, deed)} == deeds


def test_a_sign_in_ends(workspace):
    person = signed_in_person(claims("rev@x.org"), workspace)
    last = person.until - timedelta(microseconds=1)
    assert person.until - NOW == SIGN_IN_LASTS
    assert may(person, workspace, "decide", last)
    assert not may(person, workspace, "look", person.until)
    with pytest.raises(NotAllowed, match="has ended: sign in again"):
        require(person, workspace, "decide", person.until)


def test_the_settings_of_this_moment_count_not_those_of_the_sign_in(workspace):
    """Also when the workspace was opened before: a role is never carried along."""
    person = signed_in_person(claims("ada@x.org"), workspace)
    (workspace.root / "touchstone.toml").write_text(PEOPLE.replace("ada@", "other@"))
    assert not may(person, workspace, "look")
    assert not may(replace(person, role="administrator"), workspace, "look")
    with pytest.raises(NotAllowed, match=r"ada@x.org \(stranger\) may not look"):
        require(person, workspace, "look")


def test_broken_settings_admit_nobody(workspace):
    person = signed_in_person(claims("ada@x.org"), workspace)
    (workspace.root / "touchstone.toml").write_text(PEOPLE + "[people")
    assert not may(person, workspace, "look")


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"iat": 1.7e9}, "no e-mail address"),
        ({"email": "  ", "iat": 1.7e9}, "no e-mail address"),
        ({"email": ["rev@x.org"], "iat": 1.7e9}, "no e-mail address"),
        ({"email": "rev@x.org", "email_verified": False, "iat": 1.7e9}, "not verified"),
        ({"email": "rev@x.org", "email_verified": "false", "iat": 1.7e9}, "not verified"),
        ({"email": "rev@x.org"}, "does not say when"),
        ({"email": "rev@x.org", "iat": "now"}, "does not say when"),
        ({"email": "rev@x.org", "iat": True}, "does not say when"),
        ({"email": "rev@x.org", "iat": float("inf")}, "does not say when"),
    ],
)
def test_claims_that_name_nobody(workspace, told, why):
    with pytest.raises(NotAllowed, match=why):
        signed_in_person(told, workspace)


def test_two_people_of_one_name_are_two(workspace):
    names = [signed_in_person(claims(one, name="Ann Lee"), workspace).name for one in ("rev@x.org", "ada@x.org")]
    assert names == ["rev@x.org", "ada@x.org"]


# ---- every function that writes for a person


def writers() -> set[str]:
    """Every public function of core that takes a Person, by module and name."""
    found = set()
    for path in (ROOT / "core").rglob("*.py"):
        if path.name in ("cli.py", "people.py"):
            continue
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                taken = [one.annotation for one in [*node.args.args, *node.args.kwonlyargs]]
                if any(isinstance(one, ast.Name) and one.id == "Person" for one in taken):
                    found.add(f"{module}.{node.name}")
    return found


@pytest.fixture
def demo(tmp_path, monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)  # nobody is asked anything here
    folder = tmp_path / "demo"
    shutil.copytree(ROOT / "data" / "demo", folder)
    (folder / "touchstone.toml").write_text('[text_fidelity]\nevals = ["evals/release-notes"]\n' + PEOPLE)
    return Workspace.open(folder)


def deeds(w):
    """For every writer a call that would succeed, or at least get past the door, for who may."""
    log, ann = open_log(w), local_person("Ann")
    file = w.root / "somewhere.txt"
    run = w.runs()[0].name
    line = Residue("one", "manual", "look at it")
    pending = store.of_workspace(w, "pending").entries
    filtered = store.of_workspace(w, "filtered").entries
    found = open_inbox(w, NOW)
    item = next(one for one in found.waiting if one.finding.kind == "unreadable")
    human = next(one.finding.subject for one in found.waiting if one.finding.kind == "needs_human")
    slug = w.packs()[0].name
    eval_ = at(w, w.evals()[0])
    policy = approval.state(eval_).checked.usable()
    token = trust.standing(eval_, policy, log).token
    key = views.PageKey(1, "aa")
    note = notes.Note("repair", 1, (0, 0, 5, 5), "crooked", "F3", "aa")
    topic = next(one.finding.evidence["topic"] for one in found.waiting if one.finding.kind == "blocklist_proposal")
    proposal = maintain(w, log, NOW).proposal(topic)
    ticked = loop.tick(w, ann, run, line, True, now=NOW).seq
    claimed = inbox.claim(w, ann, item, NOW).seq
    decided = scoring.decide_human(log, ann, human, "reject", "no", NOW).seq
    blocked = confirm.block(w, ann, "quasars", now=NOW).seq
    reviewed = review.decide(w, ann, pending[0].id, "accept", now=NOW).seq
    draft = Draft({}, frozenset())
    d, o, t, r = "core.decisions.log", "core.report_loop.decide", "core.triage.inbox", "core.render_fidelity"
    s, x = "core.suggestions", "core.text_fidelity"
    return {
        f"{d}.decide": lambda p: log.decide(p, "a", "b", lambda: Plan([], {}), lock_on=file),
        f"{d}.decide_many": lambda p: log.decide_many(p, lambda: BatchPlan([], []), lock_on=file),
        f"{d}.append": lambda p: log.append(p, "a", "b", {}),
        f"{d}.undo": lambda p: log.undo(p, claimed),
        f"{d}.undo_many": lambda p: log.undo_many(p, [claimed], lambda _: Plan([], {}), lock_on=file),
        f"{o}.decide_run": lambda p: loop.decide_run(w, p, run, "accept_as_it_stands", now=NOW),
        f"{o}.decide_node": lambda p: loop.decide_node(w, p, run, "intro", unfreeze=True, now=NOW),
        f"{o}.tick": lambda p: loop.tick(w, p, run, line, False, now=NOW),
        f"{o}.classify_edit": lambda p: loop.classify_edit(w, p, run, "e1", "substantive", now=NOW),
        f"{o}.undo": lambda p: loop.undo(w, p, ticked, now=NOW),
        f"{t}.claim": lambda p: inbox.claim(w, p, item, NOW),
        f"{t}.claim_next": lambda p: inbox.claim_next(w, p, [item], NOW),
        f"{t}.release": lambda p: inbox.release(w, p, item, NOW),
        f"{t}.resolve": lambda p: inbox.resolve(w, p, item, "fixed", now=NOW),
        f"{t}.snooze": lambda p: inbox.snooze(w, p, item, NOW + timedelta(days=1), NOW),
        f"{t}.undo": lambda p: inbox.undo(w, p, claimed, NOW),
        "core.triage.effects.carry_out": lambda p: effects.carry_out(
            w, p, next(one.finding for one in found.waiting if one.finding.kind == "needs_human"), "pass", "ok", {}, NOW
        ),
        "core.triage.effects.take_back": lambda p: effects.take_back(w, p, blocked, NOW),
        f"{r}.run_judge.score": lambda p: run_judge.score(w, slug, p, {}, NOW),
        f"{r}.run_judge.crosscheck": lambda p: run_judge.crosscheck(w, slug, p, {}, NOW),
        f"{r}.scoring.save": lambda p: scoring.save(log, p, slug, draft, NOW),
        f"{r}.scoring.decide_human": lambda p: scoring.decide_human(log, p, human, "pass", "yes", NOW),
        f"{r}.scoring.undo_human": lambda p: scoring.undo_human(log, p, decided, NOW),
        f"{r}.scoring.add_second": lambda p: scoring.add_second(log, p, slug, {}, NOW),
        f"{r}.scoring.undo_last": lambda p: scoring.undo_last(log, p, human),
        f"{r}.notes.pin": lambda p: notes.pin(log, p, slug, note),
        f"{r}.views.record_view": lambda p: views.record_view(log, p, slug, key, key, 1.0),
        f"{s}.answers.yes": lambda p: answers.yes(w, p, topic, now=NOW),
        f"{s}.answers.no": lambda p: answers.no(w, p, topic, now=NOW),
        f"{s}.answers.change_threshold": lambda p: answers.change_threshold(w, p, 4, now=NOW),
        f"{s}.confirm.block": lambda p: confirm.block(w, p, "pulsars", now=NOW),
        f"{s}.confirm.unblock": lambda p: confirm.unblock(w, p, "quasars", now=NOW),
        f"{s}.confirm.undo": lambda p: confirm.undo(w, p, log.record(blocked), now=NOW),
        f"{s}.refusals.refuse": lambda p: refusals.refuse(log, p, proposal, now=NOW),
        f"{s}.threshold.decide": lambda p: threshold.decide(w, log, p, 3, because="x", now=NOW),
        f"{s}.review.decide": lambda p: review.decide(w, p, pending[1].id, "accept", now=NOW),
        f"{s}.review.decide_many": lambda p: review.decide_many(
            w, p, [review.Wanted(pending[1].id, "accept", "")], now=NOW
        ),
        f"{s}.review.restore": lambda p: review.restore(w, p, filtered[0].id, now=NOW),
        f"{s}.review.undo": lambda p: review.undo(w, p, reviewed, now=NOW),
        f"{s}.review.undo_many": lambda p: review.undo_many(w, p, [reviewed], now=NOW),
        f"{x}.approval.approve": lambda p: approval.approve(eval_, p, log, NOW),
        f"{x}.trust.trust": lambda p: trust.trust(eval_, policy, p, log, NOW, token),
        f"{x}.trust.distrust": lambda p: trust.distrust(eval_, p, log, NOW),
    }


def content(root):
    """Every file of the workspace outside Touchstone's own folder, by its hash."""
    return {
        path: hashlib.sha256(path.read_bytes()).digest()
        for path in root.rglob("*")
        if path.is_file() and ".touchstone" not in path.parts
    }


def test_every_writer_refuses_lookers_strangers_and_ended_sign_ins(demo):
    table = deeds(demo)
    assert set(table) == writers()
    log = open_log(demo)
    before, version = content(demo.root), log.version()
    old = signed_in_person(claims("rev@x.org") | {"iat": (NOW - SIGN_IN_LASTS).timestamp()}, demo)
    forged = Person("look@x.org", "administrator", "look@x.org", NOW + SIGN_IN_LASTS)
    people = [signed_in_person(claims(one), demo) for one in ("look@x.org", "mallory@x.org")]
    let_in = []
    for name, deed in table.items():
        for person in [*people, old, forged]:
            try:
                deed(person)
            except NotAllowed:
                continue
            except TouchstoneError as error:
                let_in.append(f"{name}: {person.name}: {error}")
                continue
            let_in.append(f"{name}: {person.name}")
    assert let_in == []
    assert log.version() == version
    assert content(demo.root) == before


def test_every_writer_lets_reviewers_in(demo):
    """The table above tests the door and not a wall: a reviewer gets past it everywhere."""
    person = signed_in_person(claims("rev@x.org"), demo)
    shut = []
    for name, deed in deeds(demo).items():
        try:
            deed(person)
        except NotAllowed as error:
            shut.append(f"{name}: {error}")
        except TouchstoneError:
            continue
    assert shut == []
