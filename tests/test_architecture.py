"""Which way the arrows run: read from the imports themselves, so that a new module is held to it at once."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = sorted((ROOT / "core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
SYSTEMS = {"report_loop", "suggestions", "text_fidelity", "render_fidelity"}

# The rule modules: they take values and return values. Named by the contract's rules, not by where they happen to be.
PURE = [
    "core/stats.py",
    "core/report_loop/rubric.py",
    "core/report_loop/dimensions.py",
    "core/report_loop/ratchet.py",
    "core/report_loop/stop.py",
    "core/report_loop/loop.py",
    "core/suggestions/backtest.py",
    "core/suggestions/blocklist.py",
    "core/suggestions/topics.py",
    "core/text_fidelity/aggregate.py",
    "core/render_fidelity/crosscheck.py",
    "core/render_fidelity/imaging/recurring.py",
    "core/render_fidelity/mapping.py",
    "core/render_fidelity/page_refs.py",
    "core/render_fidelity/publication.py",
    "core/render_fidelity/rubric.py",
    "core/render_fidelity/verdict.py",
]
IMPURE_IMPORTS = {
    "os", "time", "socket", "subprocess", "urllib", "http", "httpx", "requests", "random", "secrets", "tempfile",
    "shutil", "sqlite3", "sqlalchemy", "pathlib", "glob", "getpass", "uuid", "core.files", "core.workspace",
}  # fmt: skip
IMPURE_CALLS = {"open", "input", "now", "today", "utcnow", "getenv", "print"}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield base
            yield from (f"{base}.{name.name}" for name in node.names)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def offenders(paths: list[Path], *banned: str, allowed: str | None = None) -> list[str]:
    return [
        f"{relative(path)} imports {name}"
        for path in paths
        if not (allowed and relative(path).startswith(allowed))
        for name in imports(path)
        if any(name == word or name.startswith(word + ".") for word in banned)
    ]


def test_core_never_imports_streamlit_or_a_page():
    assert offenders(CORE, "streamlit", "pages", "app") == []


def test_only_the_judge_imports_a_model_sdk():
    assert offenders(CORE + PAGES, "anthropic", "openai", allowed="core/judge/") == []


def test_only_the_decision_log_imports_sqlalchemy():
    assert offenders(CORE + PAGES, "sqlalchemy", "sqlite3", "psycopg", allowed="core/decisions/") == []


def test_a_system_never_imports_another():
    found = []
    for system in SYSTEMS:
        own = [path for path in CORE if relative(path).startswith(f"core/{system}/")]
        found += offenders(own, *(f"core.{other}" for other in SYSTEMS - {system}), "core.triage")
    assert found == []


def test_no_page_imports_another_page():
    views = {path.parent.name for path in PAGES if path.name == "page.py"}
    found = []
    for path in PAGES:
        folder = path.relative_to(ROOT / "pages").parts[0]
        others = {f"pages.{view}" for view in views - {folder}}
        found += offenders([path], *others) if others else []
    assert found == []


@pytest.mark.parametrize("name", PURE)
def test_a_rule_module_knows_no_clock_file_network_environment_or_chance(name):
    path = ROOT / name
    assert offenders([path], *IMPURE_IMPORTS) == []
    calls = [
        f"{name}:{node.lineno} calls {called}"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        for called in [getattr(node.func, "id", getattr(node.func, "attr", ""))]
        if called in IMPURE_CALLS
    ]
    assert calls == []


def test_only_core_files_writes():
    """Every other module hands bytes to the one writer: no open for writing, no write_text, no unlink or rename."""
    writing = {"write_text", "write_bytes", "unlink", "rename", "renames", "rmtree", "copytree", "copyfile", "truncate"}
    found = []
    for path in [path for path in CORE + PAGES if not relative(path).startswith("core/files/")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            mode = next((a.value for a in node.args[1:2] if isinstance(a, ast.Constant)), "")
            if name in writing or (name == "open" and isinstance(mode, str) and set(mode) & set("wax+")):
                found.append(f"{relative(path)}:{node.lineno} {name}")
    assert found == []


def test_rooms_stay_liveable():
    """Modules up to 300 lines, pages up to 120."""

    def lines(path: Path) -> int:
        return len(path.read_text("utf-8").splitlines())

    assert [f"{relative(p)} {lines(p)}" for p in CORE + PAGES if lines(p) > 300] == []
    assert [f"{relative(p)} {lines(p)}" for p in PAGES if p.name == "page.py" and lines(p) > 120] == []
