"""`python -m core report …`: keys, exit codes, one line on standard error."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.cli import main
from tests.core.report_loop.build import receipt, scores

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo"


def run(folder, *words):
    result = CliRunner().invoke(main, ["report", *map(str, words), "--workspace", str(folder)])
    return result.exit_code, result.stdout, result.stderr


def as_json(folder, *words):
    code, out, err = run(folder, *words, "--json")
    assert err == ""
    return code, json.loads(out)


def write(folder, name, value):
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_score_has_the_contracts_keys_and_takes_the_gate_beside_the_receipt(tmp_path):
    path = write(tmp_path, "x.receipt.json", receipt())
    write(tmp_path, "x.a11y.json", {"gate": "PASS", "violations": []})
    code, data = as_json(
        tmp_path, "score", "--receipt", path, "--now", "2026-07-16T00:10:00Z", "--inclusive-judged", "0.9"
    )
    assert code == 0
    assert list(data) == ["computed_gate", "overclaim", "stale", "flags", "residue", "scores", "passes_bar", "problems"]
    assert data["scores"]["inclusive"]["status"] == "pass"
    _, overridden = as_json(tmp_path, "score", "--receipt", path, "--a11y-axe", "false", "--inclusive-judged", "0.9")
    assert overridden["scores"]["inclusive"]["status"] == "fail"


PASSED = json.dumps({"index": 1, "scores": scores(), "content_diff_count": 0, "improved": None})
OPEN = json.dumps({"index": 1, "scores": scores(dynamic=0.4), "content_diff_count": 0, "improved": None})


@pytest.mark.parametrize(
    ("raw", "code", "said"),
    [
        (PASSED + "\n", 0, "PASS"),
        (PASSED + '\n{"index": 2', 0, "PASS"),  # a write in progress, or a crash
        (PASSED + '\n{"index": 2, "scores": NaN}\n', 2, "i.jsonl:2: NaN"),
        ('{"index": 0, "index": 1}\n' + PASSED + "\n", 2, "i.jsonl:1: key 'index' stands twice"),
        (OPEN + '\n{"index": 2, "scores": NaN}\n', 1, "go on"),
        ("", 1, "no iterations yet"),
        ('{"index": NaN}\n', 2, "i.jsonl:1"),
        ('{"index": 1}\n'.encode("utf-16"), 2, "i.jsonl:1: is not UTF-8"),
    ],
)
def test_no_pass_while_an_iteration_cannot_be_read(tmp_path, raw, code, said):
    path = tmp_path / "i.jsonl"
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    found, out, err = run(tmp_path, "terminate", "--iterations", "i.jsonl")
    assert found == code
    assert said in (err if code == 2 else out)
    assert ("PASS" in out) == (code == 0)


def test_the_receipt_is_found_in_the_workspace_too(tmp_path):
    write(tmp_path, "r.json", receipt({"V1": "PARTIAL"}))
    code, data = as_json(tmp_path, "score", "--receipt", "r.json")
    assert (code, data["scores"]["accurate"]["status"]) == (1, "unverified")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["score", "--receipt", "gone.json"], "gone.json"),
        (["score", "--receipt", "../up.json"], "leaves"),
        (["score", "--receipt", "r.json", "--bar", "2"], "bar is 2.0"),
        (["score", "--receipt", "r.json", "--dynamic-judged", "nan"], "dynamic judged score is nan"),
        (["terminate", "--iterations", "r.json"], "must be a list of iterations"),
        (["accept", "--prev", "s.json", "--new", "s.json", "--target", "tasty"], "unknown target"),
        (["accept", "--prev", "s.json", "--new", "list.json", "--target", "dynamic"], "must be an object"),
        (["median", "0.9", "x"], "sample 2 is 'x'"),
        (["median", "0.9", "1.5"], "sample 2 is 1.5"),
        (["signals", "gone.html"], "no such file"),
        (["signals", "draft.md", "--deltas", "list.json"], "deltas are an object"),
        (["feedback", "nowhere"], "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_line_and_exit_2(tmp_path, words, said):
    write(tmp_path, "r.json", receipt())
    write(tmp_path, "s.json", scores())
    write(tmp_path, "list.json", [1])
    write(tmp_path, "draft.md", "Revenue rose.")
    code, out, err = run(tmp_path, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "words", [["score"], ["score", "--receipt", "r.json", "--now", "soon"], ["accept", "--prev", "x"]]
)
def test_a_command_that_is_used_wrongly_is_exit_2(tmp_path, words):
    write(tmp_path, "r.json", receipt())
    assert run(tmp_path, *words)[0] == 2


def test_terminate_reads_lists_and_lines(tmp_path):
    records = [{"index": n, "scores": scores(dynamic=0.4), "content_diff_count": 1, "improved": False} for n in (1, 2)]
    as_list, as_lines = write(tmp_path, "i.json", records), tmp_path / "i.jsonl"
    as_lines.write_text("\n".join(map(json.dumps, records)) + '\n{"index"')
    code, data = as_json(tmp_path, "terminate", "--iterations", as_list)
    assert (code, data["should_stop"], data["status"], data["problems"]) == (0, True, "plateau", [])
    code, data = as_json(tmp_path, "terminate", "--iterations", as_lines)
    assert (code, data["status"]) == (0, "plateau")
    assert [problem["line"] for problem in data["problems"]] == [3]


def test_terminate_reports_disorder(tmp_path):
    path = write(tmp_path, "i.json", [{"index": 2, "scores": {}}, {"index": 1, "scores": {}}])
    code, data = as_json(tmp_path, "terminate", "--iterations", path)
    assert code == 1
    assert data["problems"] == [{"file": "i.json", "position": "record 2", "reason": "index 1 stands after 2"}]


def test_accept_and_revert(tmp_path):
    prev, new = (
        write(tmp_path, "p.json", scores(dynamic=0.4)),
        write(tmp_path, "n.json", {"scores": scores(dynamic=0.6)}),
    )
    assert as_json(tmp_path, "accept", "--prev", prev, "--new", new, "--target", "dynamic") == (
        0, {"accept": True, "reason": "dynamic rose (0.40 → 0.60), nothing fell"},
    )  # fmt: skip
    code, data = as_json(tmp_path, "accept", "--prev", new, "--new", prev, "--target", "dynamic")
    assert (code, data["accept"]) == (1, False)


def test_median(tmp_path):
    assert as_json(tmp_path, "median", "0.86", "0.84", "0.85") == (0, {"median": 0.85, "sufficient": True})
    assert as_json(tmp_path, "median", "0.84", "0.86") == (1, {"median": 0.85, "sufficient": False})
    assert as_json(tmp_path, "median") == (1, {"median": None, "sufficient": False})


def test_signals(tmp_path):
    draft = write(tmp_path, "draft.html", "<p>Revenue fell 4%.</p><p>Costs rose 5 percent, then 6%.</p>")
    deltas = write(tmp_path, "deltas.json", {"Revenue": 4, "Costs": 2})
    code, data = as_json(tmp_path, "signals", draft, "--deltas", deltas)
    assert code == 1
    assert (data["sign_consistency"]["pass"], data["sign_consistency"]["checked"]) == (False, 2)
    assert data["sign_consistency"]["findings"][0]["text"] == "Revenue fell 4%."
    assert [finding["text"] for finding in data["format_consistency"]["findings"]] == ["5 percent"]
    good = write(tmp_path, "good.md", "Revenue rose 4%.")
    assert run(tmp_path, "signals", good, "--deltas", deltas)[0] == 0
    open_question = write(tmp_path, "open.md", "Revenue did not fall.")
    assert run(tmp_path, "signals", open_question)[0] == 0
    assert run(tmp_path, "signals", open_question, "--deltas", deltas)[0] == 1


def test_feedback_is_written_beside_the_receipt(tmp_path):
    shutil.copytree(DEMO / ".ravenclaude", tmp_path / ".ravenclaude")
    run_name = "2026-11-26-meadow-retail"
    path = tmp_path / ".ravenclaude" / "runs" / run_name / "feedback.json"
    kept = path.read_bytes()
    path.unlink()
    code, data = as_json(tmp_path, "feedback", run_name)
    assert (code, data["counts"], data["file"]) == (
        0, {"mechanical": 1, "substantive": 3, "undecided": 0}, f".ravenclaude/runs/{run_name}/feedback.json",
    )  # fmt: skip
    assert path.read_bytes() == kept
    assert "substantive 75.0% of 4 decided" in run(tmp_path, "feedback", path.parent)[1]


def test_every_command_explains_itself(tmp_path):
    for name in ("score", "terminate", "accept", "median", "signals", "feedback", "loop"):
        result = CliRunner().invoke(main, ["report", name, "--help"])
        assert result.exit_code == 0
        assert "Exit 0" in result.stdout or "exit 0" in result.stdout
