"""Finding the systems, and paths that stay inside (contract README)."""

import os

import pytest

from core.cli_workspace import describe
from core.errors import BadInput, UnsafePath
from core.workspace import Workspace, safe_path


@pytest.mark.parametrize(
    "relative",
    [
        "../x",
        "a/../../x",
        "/etc/passwd",
        "~/x",
        "a\\..\\x",
        "C:/x",
        "",
        " x",
        "x\n",
        "a\0b",
        "out/secret",
        "out",
        "pipe",
    ],
)
def test_paths_that_leave_or_are_no_file_are_refused(tmp_path, relative):
    base = tmp_path / "base"
    base.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").write_text("x")
    (base / "out").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(base / "pipe")
    with pytest.raises(UnsafePath):
        safe_path(base, relative)


def test_paths_inside_are_given_even_before_they_exist(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "inner").symlink_to("there")
    assert safe_path(tmp_path, "inner/new.md") == tmp_path / "inner" / "new.md"
    assert safe_path(tmp_path, "there", kind="folder") == tmp_path / "there"


def test_defaults_are_all_optional_and_opening_writes_nothing(tmp_path):
    workspace = Workspace.open(tmp_path)
    assert workspace.suggestions.pending == tmp_path / "data" / "suggestions_pending.md"
    assert (workspace.runs(), workspace.evals(), workspace.packs(), workspace.batches()) == ([], [], [], [])
    assert workspace.problems == ()
    assert list(tmp_path.iterdir()) == []


def test_the_second_default_place_of_the_rubric_is_found(tmp_path):
    other = tmp_path / ".agents/skills/rubric-grader/references/rubric.md"
    other.parent.mkdir(parents=True)
    other.write_text("# Rubric")
    assert Workspace.open(tmp_path).suggestions.rubric == other


def test_settings_name_the_places_and_bad_ones_are_problems(tmp_path):
    (tmp_path / "queue").mkdir()
    (tmp_path / "touchstone.toml").write_text(
        '[suggestions]\npending = "queue/p.md"\nreviewed = "../out.md"\n'
        '[text_fidelity]\nevals = ["a", "b"]\n[report_loop]\nruns = "not a list"\n[people]\nreviewers = ["a@x.org"]\n'
    )
    (tmp_path / "a").mkdir()
    workspace = Workspace.open(tmp_path)
    assert workspace.suggestions.pending == tmp_path / "queue" / "p.md"
    assert workspace.suggestions.reviewed == tmp_path / "data" / "suggestions_reviewed.md"
    assert workspace.evals() == [tmp_path / "a"]
    assert workspace.people["reviewers"] == ["a@x.org"]
    assert [problem.reason.split(":")[0] for problem in workspace.problems] == [
        "[suggestions] reviewed",
        "[report_loop] runs",
    ]
    assert len(describe(workspace)["problems"]) == 2


def test_settings_that_are_not_toml_leave_the_defaults_and_say_so(tmp_path):
    (tmp_path / "touchstone.toml").write_bytes(b"[suggestions\n")
    workspace = Workspace.open(tmp_path)
    assert workspace.suggestions.pending.name == "suggestions_pending.md"
    assert workspace.problems[0].file == "touchstone.toml"


def test_a_run_folder_linked_from_outside_is_not_listed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    runs = tmp_path / "ws" / ".ravenclaude" / "runs"
    (runs / "one").mkdir(parents=True)
    (runs / "two").symlink_to(outside)
    assert [run.name for run in Workspace.open(tmp_path / "ws").runs()] == ["one"]


def test_what_is_no_folder_cannot_be_opened(tmp_path):
    with pytest.raises(BadInput):
        Workspace.open(tmp_path / "absent")


def test_a_place_that_cannot_be_read_is_not_an_empty_one(tmp_path, monkeypatch):
    """Nothing in it may count as gone, and the other places are shown all the same."""
    (tmp_path / "design-packs" / "ppt-a").mkdir(parents=True)
    run = tmp_path / ".ravenclaude" / "runs" / "one"
    run.mkdir(parents=True)
    workspace = Workspace.open(tmp_path)
    assert [pack.name for pack in workspace.packs()] == ["ppt-a"]
    real = os.scandir

    def refused(place):
        if str(place).endswith("design-packs"):
            raise PermissionError(13, "Permission denied", str(place))
        return real(place)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(BadInput, match="design-packs: cannot be read: Permission denied"):
        workspace.packs()
    told = describe(workspace)
    assert [entry["name"] for entry in told["systems"]["report_loop"]] == ["one"]
    assert told["problems"] == [{"file": "design-packs", "reason": "cannot be read: Permission denied"}]


def test_a_place_that_is_no_folder_is_told_beside_the_others(tmp_path):
    (tmp_path / "design-packs").write_text("not a folder")
    (tmp_path / ".ravenclaude" / "runs" / "one").mkdir(parents=True)
    told = describe(Workspace.open(tmp_path))
    assert [entry["name"] for entry in told["systems"]["report_loop"]] == ["one"]
    assert [problem["reason"] for problem in told["problems"]] == ["'design-packs' is not a folder"]


def test_a_name_of_any_bytes_can_be_shown(tmp_path):
    folder = tmp_path / ".ravenclaude" / "runs" / os.fsdecode(b"r\xff")
    folder.mkdir(parents=True)
    workspace = Workspace.open(tmp_path)
    assert [workspace.label(run) for run in workspace.runs()] == [".ravenclaude/runs/r\\udcff"]
