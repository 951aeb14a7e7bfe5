"""The component in a real oracle.sh: installed, run, taken out, and every byte where it was."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import core
from core.cli import main
from core.errors import BadInput
from core.files import jsontext
from core.text_fidelity import oracle, splice
from core.text_fidelity.place import EvalFolder
from tests.core.text_fidelity.evals import make_eval, records

HERE = Path(__file__).parent
ENV = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def project(root: Path) -> EvalFolder:
    folder = make_eval(root)
    shutil.copy(HERE / "oracle_2.sh", root / "oracle.sh")
    (root / "oracle.sh").chmod(0o755)
    (root / ".servo" / "install.json").write_text('{\n    "version": "1",\n    "components": ["notes", "links"]\n}\n')
    return folder


def files(root: Path) -> dict[str, bytes]:
    """Every file of the project but the state that Touchstone keeps for itself."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".touchstone" not in path.parts
    }


def run_oracle(root: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["./oracle.sh"], cwd=root, capture_output=True, text=True, env={**ENV, **env})


def invoke(root: Path, *arguments: str) -> Any:
    return CliRunner().invoke(main, ["text", *arguments, str(root), "--workspace", str(root)])


def test_install_run_uninstall_gives_back_every_byte(tmp_path: Path) -> None:
    """The real script, run by bash before, between and after; the judge is a program that says 0.9."""
    folder = project(tmp_path)
    judge = tmp_path / "judge"
    reply = json.dumps({"is_error": False, "result": json.dumps({"score": 0.9, "reasoning": "fine"})})
    judge.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{reply}'\n")
    judge.chmod(0o755)
    made = json.loads(folder.config.read_text("utf-8"))
    folder.config.write_text(json.dumps(made | {"judge": {"model": "m", "transport": "cli"}}))
    assert invoke(tmp_path, "freeze").exit_code == 0
    before = files(tmp_path)
    assert run_oracle(tmp_path).stdout == "oracle: composite=0.8250 threshold=0.5\n"  # (.85 + .8) / 2

    assert invoke(tmp_path, "install", "--weight", "2").exit_code == 0
    done = run_oracle(tmp_path, SERVO_CONTENT_FIDELITY_CLAUDE_BIN=str(judge))
    # (.85 + .8 + 2 · .9) / 4 = .8625
    assert (done.returncode, done.stdout) == (0, "oracle: composite=0.8625 threshold=0.5\n"), done.stderr
    assert [record["composite"] for record in records(folder.ledger)] == [0.9]
    assert stat.S_IMODE((tmp_path / "oracle.sh").stat().st_mode) == 0o755
    assert json.loads((tmp_path / ".servo/install.json").read_text())["components"] == [
        "notes",
        "links",
        "content_fidelity",
    ]

    installed = files(tmp_path)
    assert "unchanged oracle.sh" in invoke(tmp_path, "install", "--weight", "2").stdout
    assert files(tmp_path) == installed
    assert invoke(tmp_path, "uninstall").exit_code == 0
    after = files(tmp_path)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) - {".servo/content-fidelity/score.py", ".servo/content-fidelity/ledger.jsonl"} == {
        name for name in after if "/artifacts/" in name
    }
    assert run_oracle(tmp_path).stdout == "oracle: composite=0.8250 threshold=0.5\n"


def test_no_key_stale_and_a_lost_installation_are_env_errors_of_the_whole_oracle(tmp_path: Path) -> None:
    folder = project(tmp_path)
    oracle.install(folder, 1.0)
    env = {name: value for name, value in ENV.items() if not name.startswith("ANTHROPIC")}

    def told() -> tuple[int, str, str]:
        done = subprocess.run(["./oracle.sh"], cwd=tmp_path, capture_output=True, text=True, env=env)
        return done.returncode, done.stdout, done.stderr

    code, out, err = told()
    assert (code, out) == (2, "")
    assert "content-fidelity: env_error — " in err
    assert "ANTHROPIC_API_KEY" in err
    folder.config.write_text(folder.config.read_text("utf-8").replace("faithfully", "freely"))
    code, out, err = told()
    assert (code, out) == (2, "")
    assert "content-fidelity: stale — the rubric changed since the freeze" in err

    launcher = folder.launcher.read_text("utf-8")
    folder.launcher.write_text(launcher.replace("ROOT = ", "ROOT = '/nowhere' or "))
    env["PATH"] = "/usr/bin:/bin"
    code, out, err = told()
    assert (code, out) == (2, "")
    assert (
        f"env_error — Touchstone {core.__version__} is not installed at /nowhere any more; install touchstone==" in err
    )


def test_the_launcher_finds_another_installation_when_told(tmp_path: Path) -> None:
    folder = project(tmp_path)
    oracle.install(folder, 1.0)
    folder.launcher.write_text(folder.launcher.read_text("utf-8").replace("ROOT = ", "ROOT = '/nowhere' or "))
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ncd "{Path(core.__file__).parent.parent}"\nshift\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(folder.launcher), str(tmp_path)], cwd=tmp_path, capture_output=True, text=True,
        env={**ENV, "TOUCHSTONE_PYTHON": str(python)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "ANTHROPIC_API_KEY" in done.stderr


@pytest.mark.parametrize("name", ["core", "json", "click"])
def test_a_project_s_own_modules_do_not_get_in_the_way(tmp_path: Path, name: str) -> None:
    """The project under test may have a package called core, or a file called json.py."""
    folder = project(tmp_path)
    oracle.install(folder, 1.0)
    (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    done = run_oracle(tmp_path)
    assert "the wrong module" not in done.stderr
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_a_score_py_that_is_not_ours_is_put_aside_and_comes_back(tmp_path: Path) -> None:
    folder = project(tmp_path)
    folder.launcher.write_text("print('servo')\n")
    oracle.install(folder, 1.0)
    assert folder.launcher.read_bytes() == oracle.launcher()
    oracle.uninstall(folder)
    assert folder.launcher.read_text() == "print('servo')\n"
    oracle.install(folder, 1.0)
    assert folder.launcher.read_bytes() == oracle.launcher()
    folder.launcher.write_text("print('another')\n")
    with pytest.raises(BadInput, match="neither ours nor what"):
        oracle.install(folder, 1.0)


MANIFESTS = [
    b'{"components": []}', b'{"components": [ ]}', b'{"components": ["a"]}', b'{"components": ["a","b"], "x": 1}\n',
    b'{\n  "components": [\n    "a"\n  ]\n}\n', b'{\r\n  "components": [\r\n    "a",\r\n    "b"\r\n  ]\r\n}\r\n',
    b"{}", b"{ }\n", b'{"x": {"components": ["n"]}}', b'{\n\t"x": 1\n}', b'\xef\xbb\xbf{"components": ["\\u00e9"]}',
    b'{"x": 1.0, "components": ["a", "b", "c"]}',
]  # fmt: skip


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_install_json_keeps_every_byte_over_install_and_uninstall(tmp_path: Path, manifest: bytes) -> None:
    folder = project(tmp_path)
    path = tmp_path / ".servo" / "install.json"
    path.write_bytes(manifest)
    oracle.install(folder, 1.0)
    once = path.read_bytes()
    assert "content_fidelity" in json.loads(once.decode("utf-8-sig"))["components"]
    before = json.loads(manifest.decode("utf-8-sig"))
    assert json.loads(once.decode("utf-8-sig")) == before | {
        "components": [*before.get("components", []), "content_fidelity"]
    }
    oracle.install(folder, 0.5)
    assert path.read_bytes() == once
    oracle.uninstall(folder)
    assert path.read_bytes() == manifest


@pytest.mark.parametrize("manifest", [b"[]", b'{"components": "a"}', b'{"a": 1, "a": 2}', b"{"])
def test_a_manifest_of_another_shape_is_refused_before_anything_is_written(tmp_path: Path, manifest: bytes) -> None:
    folder = project(tmp_path)
    (tmp_path / ".servo" / "install.json").write_bytes(manifest)
    before = files(tmp_path)
    with pytest.raises(BadInput):
        oracle.install(folder, 1.0)
    assert files(tmp_path) == before


def test_no_oracle_no_config_or_another_place_is_refused(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (tmp_path / "oracle.sh").unlink()
    assert invoke(tmp_path, "install").exit_code == 2
    elsewhere = make_eval(tmp_path / "other")
    moved = tmp_path / "evals"
    elsewhere.path.rename(moved)
    assert invoke(moved, "install").exit_code == 2
    folder.config.unlink()
    assert invoke(tmp_path, "install").exit_code == 2


@pytest.mark.parametrize("weight", ["0", "-1", "nan", "inf"])
def test_a_weight_is_a_number_above_0(tmp_path: Path, weight: str) -> None:
    project(tmp_path)
    assert invoke(tmp_path, "install", "--weight", weight).exit_code == 2


BASE = (HERE / "oracle_2.sh").read_text("utf-8")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (BASE.replace('\nweighted_sum="0"\n', '\nweighted_sum="0" # start\n# weighted_sum="0"\n'), None),
        (BASE.replace('\nweighted_sum="0"\n', '\n  weighted_sum="0"\n'), None),
        (BASE.replace('\nweighted_sum="0"\n', "\nweighted_sum=0\n"), "has no line"),
        (BASE.replace('\nweighted_sum="0"\n', '\n# weighted_sum="0"\n'), "has no line"),
        (BASE.replace('\nweighted_sum="0"\n', '\nweighted_sum="0"; total=0\n'), "has no line"),
        (BASE.replace("COMPONENTS=(\n", "PARTS=(\n"), "has 0 COMPONENTS"),
        (BASE.replace("COMPONENTS=(\n", "# COMPONENTS=(\n"), "has 0 COMPONENTS"),
        (BASE + "COMPONENTS=(\n)\n", "has 2 COMPONENTS"),
        (BASE.replace("COMPONENTS=(\n", "declare -a COMPONENTS=( # all\n"), None),
        (BASE.replace('  "links:1.0"\n)', '  "links:1.0")'), None),
        (BASE.replace('  "links:1.0"\n)', '  "links:1.0" "more:1.0" # a ) here\n)'), None),
        (BASE.replace("# SEED:end links", "# SEED:end links\n# SEED:end content_fidelity"), "0 start and 1 end"),
        (BASE.replace("\n", "\r\n", 3), "mixes LF and CRLF"),
        (BASE.replace("\n", "\r\n"), None),
        (BASE.rstrip("\n"), None),
    ],
)
def test_shapes_of_oracle_sh(tmp_path: Path, script: str, said: str | None) -> None:
    """Every shape is either done whole and undone to the byte, or refused."""
    if said is not None:
        with pytest.raises(splice.CannotSplice, match=said):
            splice.install(script, "1", 1.0, key_added=False)
        return
    once = splice.install(script, "1", 1.0, key_added=False)
    assert splice.installed(once)
    assert splice.uninstall(once) == script
    refreshed = splice.install(once, "2", 0.5, key_added=False)
    assert refreshed.count('"content_fidelity:0.5"') == 1
    assert refreshed.count("# SEED:start content_fidelity") == 1
    assert splice.uninstall(refreshed) == script


def test_an_older_block_is_replaced_in_place_and_its_entry_refreshed() -> None:
    """As servo's own block stands in a project that used it before."""
    old = "# SEED:start content_fidelity\nscore_content_fidelity() { echo 1; }\n# SEED:end content_fidelity\n"
    script = BASE.replace("# SEED:start links", old + "\n# SEED:start links")
    script = script.replace('  "links:1.0"\n', "  'content_fidelity:0.25' \"links:1.0\"\n")
    new = splice.install(script, "1", 2.0, key_added=False)
    assert "echo 1" not in new
    assert '  "content_fidelity:2.0" "links:1.0"\n' in new
    assert new.index("# SEED:end content_fidelity") < new.index("# SEED:start links")
    assert splice.uninstall(new) == BASE.replace("# SEED:start links", "\n# SEED:start links")


@given(
    st.dictionaries(
        st.text(max_size=5), st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=3), max_size=5
    ),
    st.text(max_size=5),
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.lists(st.text(max_size=3), max_size=3),
    st.sampled_from([None, 1, 2, "\t"]),
    st.booleans(),
)
def test_one_member_is_set_and_nothing_else(
    before: dict[str, Any], name: str, value: Any, indent: Any, crlf: bool
) -> None:
    text = json.dumps(before, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text
    after = jsontext.set_members(text, {name: value})
    assert json.loads(after) == before | {name: value}
    assert list(json.loads(after)) == list(before | {name: value})
    if name not in before:
        assert jsontext.remove_member(after, name) == text
    if crlf:
        assert after.count("\n") == after.count("\r\n")


def test_init_scaffolds_and_overwrites_nothing(tmp_path: Path) -> None:
    result = invoke(tmp_path, "init")
    assert result.exit_code == 0
    folder = tmp_path / ".servo" / "content-fidelity"
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "refs", "score.py"]
    (folder / "generated").mkdir()
    (folder / "generated" / "example.txt").write_text("Hello.")
    assert invoke(tmp_path, "freeze").exit_code == 0
    assert invoke(tmp_path, "check").exit_code == 0
    frozen = (folder / "config.json").read_bytes()
    (folder / "refs" / "example.txt").unlink()
    assert "unchanged .servo/content-fidelity/config.json" in invoke(tmp_path, "init").stdout
    assert (folder / "config.json").read_bytes() == frozen
    assert not (folder / "refs" / "example.txt").exists()
