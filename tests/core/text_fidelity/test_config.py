"""What a config.json is refused for, and what it is warned about, one line of the contract a test."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput
from core.text_fidelity.config import check
from tests.core.text_fidelity.evals import case, config, make_eval


def faults(root: Path, given: dict[str, Any]) -> list[str]:
    return [problem.reason for problem in check(make_eval(root, given=given, frozen=False)).errors]


REFUSED: list[tuple[dict[str, Any], str]] = [
    (config(samples={"n": 0, "k": 1, "delta": 0}), "samples.n"),
    (config(samples={"n": 2.5, "k": 1, "delta": 0}), "samples.n must be a whole number"),
    (config(samples={"n": True, "k": 1, "delta": 0}), "samples.n must be a whole number"),
    (config(samples={"n": "4", "k": 1, "delta": 0}), "samples.n must be a whole number"),
    (config(samples={"n": 4, "k": -1, "delta": 0}), "samples.k"),
    (config(samples={"n": 4, "k": 1, "delta": -0.1}), "samples.delta"),
    (config(samples={"n": 4, "k": True, "delta": 0}), "samples.k"),
    (config(samples={"k": 1, "delta": 0}), "samples.n is missing"),
    (config(threshold=1.01), "threshold"),
    (config(threshold="0.8"), "threshold"),
    (config(cases=[]), "no cases"),
    (config(case("a"), case("a")), "case 'a' stands twice"),
    (config(case("a", weight=-1)), "case 'a': weight"),
    (config(case("a", weight=0)), "total weight"),
    (config(rubric="  "), "rubric is empty"),
    (config(rubric="\ud800"), "rubric holds half a surrogate pair"),
    (config(judge={"model": "m", "transport": "fax"}), "judge.transport"),
    (config(judge={"model": "m", "provider": "acme"}), "judge.provider"),
    (config(judge={"model": ""}), "judge.model"),
    (config(judge={"model": "m", "max_tokens": 0}), "judge.max_tokens"),
    (config(judge=None), "judge"),
    (config(case("a", source={"type": "http", "url": "x"})), "case 'a': source unknown source type"),
    (config(case("a", source={"path": "x"})), "case 'a': source"),
    (config(case("a", source=None)), "case 'a': source"),
    (config(case("a", source={"type": "file"})), "case 'a': source.path is missing"),
    (config(case("a", source={"type": "command", "run": ["", "x"]})), "names no program"),
    (config(case("a", source={"type": "command", "run": ["x", 1]})), "must be a list of texts"),
    (config(case("a", source={"type": "file", "path": "../x"})), "leaves content-fidelity/"),
    (config(case("a", source={"type": "file", "path": "/etc/hostname"})), "leaves content-fidelity/"),
    (config(case("a", reference="")), "an empty reference"),
    (config(case("a", reference="\n ")), "an empty reference"),
    (config(case("a", reference="refs/none.txt")), "names a file that is missing"),
    (config(case("a", reference="none.YAML")), "names a file that is missing"),
    (config(case("a", reference="/etc/hostname")), "leaves content-fidelity/"),
    (config(case("a", reference="../../none.md")), "leaves content-fidelity/"),
    (config(schema_version=2), "schema_version"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_refused_with_a_clear_message(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    found = faults(tmp_path, given)
    assert any(said in reason for reason in found), found


INLINE = [
    "Warm and short.", "refs", "one-word", "文体は丁寧に", "a/b", "x" * 20_000, "ends in a file.txt yes", "a\0b.txt b",
    "Read refs/x.txt", "用中文回答。" * 3_000, "/no/such/thing", "..no",
]  # fmt: skip


@pytest.mark.parametrize("text", INLINE, ids=[text[:12] for text in INLINE])
def test_everything_else_is_inline_text_whatever_its_length_or_script(tmp_path: Path, text: str) -> None:
    found = check(make_eval(tmp_path, given=config(case("a", reference=text)), frozen=False))
    assert found.errors == ()
    assert (found.references["a"].text, found.references["a"].path) == (text, None)


def test_a_reference_that_names_a_file_is_that_file(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a", reference="refs/a b")), frozen=False)
    (folder.path / "refs").mkdir()
    (folder.path / "refs" / "a b").write_bytes("﻿Kurz und warm.\r\n".encode())
    assert check(folder).references["a"].text == "Kurz und warm.\r\n"


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "an empty reference"), (b" \n", "an empty reference"), (b"ok\n\xff", "is not UTF-8")]
)
def test_a_reference_file_without_a_usable_text_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    folder = make_eval(tmp_path, given=config(case("a", reference="ref.txt")), frozen=False)
    (folder.path / "ref.txt").write_bytes(content)
    [problem] = check(folder).errors
    assert said in problem.reason


def test_a_reference_file_called_rubric_is_refused(tmp_path: Path) -> None:
    folder = make_eval(tmp_path, given=config(case("a", reference="rubric")), frozen=False)
    (folder.path / "rubric").write_text("text")
    [problem] = check(folder).errors
    assert "must not be called rubric" in problem.reason


def test_a_link_out_of_the_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    given = config(case("a", reference="out.txt"), case("b", source={"type": "file", "path": "pipe"}))
    given["cases"][1]["source"] = {"type": "command", "run": ["true"]}
    folder = make_eval(tmp_path, given=given, frozen=False)
    (tmp_path / "secret.txt").write_text("secret")
    (folder.path / "out.txt").symlink_to(tmp_path / "secret.txt")
    assert "leaves" in check(folder).errors[0].reason
    (folder.path / "out.txt").unlink()
    os.mkfifo(folder.path / "out.txt")
    assert "not a regular file" in check(folder).errors[0].reason


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (config(samples={"n": 2, "k": 1, "delta": 0.1}), "fewer than 3"),
        (config(samples={"n": 1, "k": 1, "delta": 0.1}), "no spread"),
        (config(judge={"model": "m", "temperature": 0}), "cannot spread"),
        (config(case("a", source={"type": "command", "run": ["true"]})), "may drift"),
        (config(samples={"n": 3}), "samples.delta is missing"),
    ],
)
def test_warned_about_and_allowed(tmp_path: Path, given: dict[str, Any], said: str) -> None:
    found = check(make_eval(tmp_path, given=given, frozen=False))
    assert found.errors == ()
    assert any(said in warning for warning in found.warnings)


def test_n_of_4_point_0_is_4_and_no_warning_for_a_sound_config(tmp_path: Path) -> None:
    found = check(make_eval(tmp_path, given=config(samples={"n": 4.0, "k": 1, "delta": 0.1}), frozen=False))
    assert (found.usable().samples.n, found.warnings) == (4, ())


@pytest.mark.parametrize("raw", [b"", b"[]", b'{"a": 1, "a": 2}', b'{"a": NaN}', b"{", b"\xff"])
def test_a_config_that_is_not_one_strict_object_cannot_be_read(tmp_path: Path, raw: bytes) -> None:
    folder = make_eval(tmp_path, frozen=False)
    folder.config.write_bytes(raw)
    with pytest.raises(BadInput, match=r"config\.json"):
        check(folder)
