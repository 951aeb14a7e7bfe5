"""The freeze: servo's hashes byte for byte, everything else left alone, and every reason why one no longer holds."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.cli import main
from core.decisions import open_log
from core.errors import Conflict, NotAllowed
from core.people import Person, local_person
from core.text_fidelity import approval, changes, freeze
from core.text_fidelity.place import EvalFolder
from tests.core.text_fidelity.evals import START, case, config, later, make_eval

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)
NUMBER = st.floats(0, 1) | st.integers(0, 1)


def recipe(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The contract's recipe, in its own words."""

    def tag(raw: bytes) -> str:
        return "sha256:" + hashlib.sha256(raw).hexdigest()

    cases = [
        {"id": c["id"], "reference": c.get("reference"), "source": c.get("source"), "weight": c.get("weight", 1.0)}
        for c in given["cases"]
    ]
    d = {
        "judge": given.get("judge"),
        "samples": given.get("samples"),
        "threshold": given.get("threshold"),
        "cases": cases,
    }
    hashes = {"rubric": tag(given["rubric"].encode())}
    hashes |= {
        c["reference"]: tag((folder / c["reference"]).read_bytes())
        for c in cases
        if (folder / c["reference"]).is_file()
    }
    return {"approved_content_hash": tag(json.dumps(d, sort_keys=True).encode()), "hashes": hashes}


@st.composite
def configs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A valid config with odd but legal values, and the reference files it names."""
    files: dict[str, bytes] = {}
    cases = []
    for name in draw(st.lists(TEXT, min_size=1, max_size=4, unique=True)):
        made: dict[str, Any] = {"id": name}
        if draw(st.booleans()):
            path = f"refs/{hashlib.md5(name.encode()).hexdigest()}.txt"
            files[path] = (draw(TEXT) + "x").encode()
            made["reference"] = path
        else:
            made["reference"] = "Say: " + draw(TEXT)
        file = {"type": "file", "path": "generated/x.txt", **draw(st.sampled_from([{}, {"note": "ü"}]))}
        made["source"] = draw(st.sampled_from([file, {"run": ["echo", "ü"], "type": "command"}]))
        if draw(st.booleans()):
            made["weight"] = draw(st.sampled_from([1, 1.0, 0.5, 3, 1e-7, 1e22]))
        if draw(st.booleans()):
            made["owner"] = {"deep": [1, None, "é"]}
        cases.append(made)
    judge = {"model": draw(TEXT), "temperature": draw(NUMBER), "max_tokens": draw(st.integers(1, 4096))}
    samples = {"n": draw(st.integers(1, 9)), "k": draw(NUMBER), "delta": draw(NUMBER)}
    made = {
        "schema_version": 1, "approval_status": "draft", "judge": judge, "samples": samples,
        "rubric": "Rate: " + draw(TEXT), "cases": cases,
    }  # fmt: skip
    if draw(st.booleans()):
        made["threshold"] = draw(NUMBER)
    return dict(draw(st.permutations(list(made.items())))), files


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(configs(), st.sampled_from([None, 2, 4]), st.booleans())
def test_200_random_configs_freeze_as_the_recipe_says(
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[dict[str, Any], dict[str, bytes]],
    indent: int | None,
    ascii_: bool,
) -> None:
    """Hashes agree with the recipe, every other key keeps its value, and the frozen eval is fresh."""
    folder = make_eval(tmp_path_factory.mktemp("e"), frozen=False)
    written, files = made
    (folder.path / "refs").mkdir()
    for path, raw in files.items():
        (folder.path / path).write_bytes(raw)
    folder.config.write_text(json.dumps(written, indent=indent, ensure_ascii=ascii_), "utf-8")
    approval.approve(folder, local_person("Ann"), open_log(folder.workspace), START)
    frozen = json.loads(folder.config.read_bytes())
    expected = {**written, **recipe(written, folder.path)}
    expected |= {"approval_status": "approved", "approved_at": "2026-11-01T09:00:00Z"}
    assert frozen == expected
    assert approval.state(folder).fresh


def test_every_other_byte_of_the_config_stays(tmp_path: Path) -> None:
    """Numbers as they are spelled, CRLF, a BOM, odd spacing: only the four keys of a freeze change."""
    folder = make_eval(tmp_path, frozen=False)
    odd = json.dumps(config(), indent=3).replace('"k": 1.0', '"k":   1.00e0').replace("\n", "\r\n") + "\r\n\r\n"
    raw = b"\xef\xbb\xbf" + odd.encode()
    folder.config.write_bytes(raw)
    approval.approve(folder, local_person("Ann"), open_log(folder.workspace), START)
    after = folder.config.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf{\r\n")
    assert b'"k":   1.00e0' in after
    assert after.count(b"\n") == after.count(b"\r\n")
    kept = after.replace(b'"approval_status": "approved"', b'"approval_status": "draft"')
    assert raw.rstrip().removesuffix(b"}").rstrip() == kept[: len(raw.rstrip().removesuffix(b"}").rstrip())]


def test_freezing_twice_changes_only_the_time(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    before = folder.config.read_bytes()
    approval.approve(folder, local_person("Bo"), open_log(folder.workspace), later(1))
    assert folder.config.read_bytes() == before.replace(b"2026-11-01T09:00:00Z", b"2026-11-01T10:00:00Z")


def edit(folder: EvalFolder, **values: Any) -> None:
    folder.config.write_text(json.dumps({**json.loads(folder.config.read_text("utf-8")), **values}))


STALE: list[tuple[dict[str, Any], str]] = [
    ({"approval_status": "draft"}, "not approved"),
    ({"approval_status": None}, "not approved"),
    ({"threshold": 0.7}, "the definition changed"),
    ({"samples": {"n": 4, "k": 1.0, "delta": 0.03}}, "the definition changed"),
    ({"samples": {"n": 3, "k": 1, "delta": 0.03}}, "only the spelling of a number changed"),
    ({"approved_content_hash": None}, "the definition changed"),
    ({"hashes": {}}, "no frozen hashes"),
    ({"hashes": None}, "no frozen hashes"),
    ({"hashes": {"ref.txt": "sha256:0"}}, "the rubric changed"),
    ({"rubric": "Another rubric."}, "the rubric changed"),
]


@pytest.mark.parametrize(("values", "said"), STALE, ids=[f"{said} {i}" for i, (_, said) in enumerate(STALE)])
def test_stale_for_each_reason_of_the_contract(tmp_path: Path, values: dict[str, Any], said: str) -> None:
    folder = make_eval(tmp_path)
    edit(folder, **values)
    found = approval.state(folder)
    assert not found.fresh
    assert any(said in reason for reason in found.stale), found.stale


@pytest.mark.parametrize(
    ("change", "said"), [("edit", "frozen file changed: ref.txt"), ("remove", "frozen file missing: ref.txt")]
)
def test_a_frozen_file_that_differs_or_is_gone(tmp_path: Path, change: str, said: str) -> None:
    folder = make_eval(tmp_path, given=config(case("a", reference="ref.txt")), frozen=False)
    reference = folder.path / "ref.txt"
    reference.write_text("Warm.")
    approval.approve(folder, local_person("Ann"), open_log(folder.workspace), START)
    reference.write_text("Cold.") if change == "edit" else reference.unlink()
    assert said in approval.state(folder).stale


def test_what_a_source_points_to_is_never_frozen(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    (folder.path / "generated" / "a.txt").write_text("Quite another text.")
    assert approval.state(folder).fresh


def test_a_review_shows_exactly_what_changed(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a", reference="ref.txt"), case("b")), frozen=False)
    (folder.path / "ref.txt").write_text("Warm.")
    first = approval.review(folder)
    assert (first.first, first.known, first.changes) == (True, False, ())
    approval.approve(folder, local_person("Ann"), open_log(folder.workspace), START)
    assert approval.review(folder).changes == ()
    (folder.path / "ref.txt").write_text("Cold.")
    cases = [case("a", reference="ref.txt", weight=2), case("c")]
    edit(folder, samples={"n": 4, "k": 1.0, "delta": 0.03}, rubric="New.", cases=cases)
    found = approval.review(folder)
    assert found.known
    assert [(change.where, change.kind) for change in found.changes] == [
        ("samples.n", "changed"), ("case 'b'", "removed"), ("case 'a': weight", "changed"), ("case 'c'", "added"),
        ("rubric", "text"), ("ref.txt", "text"),
    ]  # fmt: skip
    assert found.changes[0].short == "n 3 → 4"
    assert (found.changes[-1].before, found.changes[-1].after) == ("Warm.", "Cold.")


def test_a_freeze_without_a_snapshot_says_which_parts_differ(tmp_path: Path) -> None:
    """servo keeps hashes only."""
    folder = make_eval(tmp_path)
    for path in (folder.path / "freezes").iterdir():
        path.unlink()
    edit(folder, rubric="Another.")
    found = approval.review(folder)
    assert (found.known, [change.where for change in found.changes]) == (False, ["rubric"])


def test_a_snapshot_that_was_tampered_with_is_not_believed(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    [path] = (folder.path / "freezes").iterdir()
    path.write_text(path.read_text("utf-8").replace("Score in", "Score not in"))
    assert approval.snapshot(folder, approval.state(folder).freeze_id) is None


def test_what_was_confirmed_is_what_is_frozen(tmp_path: Path) -> None:
    """A change between the shown difference and the approval is a conflict, and nothing is written."""
    folder = make_eval(tmp_path)
    shown = approval.review(folder)
    edit(folder, rubric="Slipped in.")
    before = folder.config.read_bytes()
    with pytest.raises(Conflict, match="changed since the difference was shown"):
        approval.approve(folder, local_person("Ann"), open_log(folder.workspace), START, shown.token)
    assert folder.config.read_bytes() == before


def test_an_approval_is_on_the_log_and_a_looker_may_not(tmp_path: Path) -> None:
    folder = make_eval(tmp_path)
    log = open_log(folder.workspace)
    [record] = log.records(action=approval.APPROVE)
    assert (record.reviewer, record.subject) == ("Ann", ".servo/content-fidelity")
    assert record.payload["definition_hash"] == approval.state(folder).definition_hash
    with pytest.raises(NotAllowed):
        approval.approve(folder, Person("Lu", "looker"), log, START)


def test_respelled_numbers_are_found_among_many(tmp_path: Path) -> None:
    """Another tool dropped every `.0` of a config."""
    made = config(case("a", weight=1.0), case("b", weight=2.0), samples={"n": 3, "k": 1.0, "delta": 0.0})
    slim = json.loads(json.dumps(made).replace("1.0", "1").replace("2.0", "2").replace("0.0}", "0}"))
    assert changes.respelled(freeze.definition(slim), freeze.definition_hash(made)) == [
        "samples.k is 1, was 1.0", "samples.delta is 0, was 0.0", "weights is [1, 2], was [1.0, 2.0]",
    ]  # fmt: skip


def test_freeze_and_check_at_the_prompt(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, frozen=False)
    runner = CliRunner()

    def invoke(*arguments: str) -> Any:
        return runner.invoke(main, ["text", *arguments, "--workspace", str(tmp_path), "--json"])

    assert invoke("check").exit_code == 2
    frozen = invoke("freeze", "--reviewer", "Ann")
    told = json.loads(invoke("check").stdout)
    assert (frozen.exit_code, told["fresh"], told["reasons"]) == (0, True, [])
    assert told["definition_hash"] == json.loads(frozen.stdout)["definition_hash"]
    folder.config.unlink()
    result = invoke("check")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["fresh"], told["definition_hash"]) == (2, False, None)
    assert "config.json" in result.stderr
