"""Where the log is kept: made once, never by reading, told in words when it cannot be used."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import insert

from core.decisions import open_log, schema
from core.decisions.engine import Database
from core.errors import BadInput, Unavailable
from core.people import local_person
from core.workspace import Workspace
from tests.core.decisions import toy

ANA = local_person("Ana")


def note(workspace: Workspace, subject: str = "s") -> None:
    open_log(workspace).append(ANA, "note", subject, {})


# ---- made once


def test_many_who_start_at_once_make_one_log(workspace):
    barrier = threading.Barrier(12)

    def first(number: int) -> None:
        barrier.wait()
        note(workspace, f"s{number}")

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(first, range(12)))
    assert open_log(workspace).verify().records == 12


def test_processes_that_start_at_once_make_one_log(workspace):
    program = (
        "import sys; from core.decisions import open_log; from core.people import local_person; "
        "from core.workspace import Workspace; sys.stdin.readline(); "
        "open_log(Workspace.open(sys.argv[1])).append(local_person('Ana'), 'note', sys.argv[2], {})"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(workspace.root), f"s{number}"], stdin=subprocess.PIPE)
        for number in range(4)
    ]
    for process in running:
        process.communicate(b"go\n")
    assert [process.returncode for process in running] == [0] * 4
    assert open_log(workspace).verify().records == 4


def test_tables_of_an_older_version_are_brought_up_to_date_and_keep_their_records(workspace, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        note(workspace, "old")
    database = Database(workspace)
    with database.read() as conn:
        assert schema.version_of(conn) == 1
    forget(workspace)
    note(workspace, "new")
    with database.read() as conn:
        assert schema.version_of(conn) == schema.LATEST
    assert [record.subject for record in open_log(workspace).records()] == ["old", "new"]
    assert open_log(workspace).verify().ok


def test_tables_of_a_newer_version_are_left_alone(workspace):
    note(workspace)
    with Database(workspace).write() as conn:
        conn.execute(insert(schema.versions).values(number=schema.LATEST + 1))
    forget(workspace)
    for deed in (lambda: note(workspace), lambda: open_log(workspace).records()):
        with pytest.raises(Unavailable, match=f"version {schema.LATEST + 1} of its tables.*update Touchstone"):
            deed()


def forget(workspace: Workspace) -> None:
    """What a new process knows of this database: nothing."""
    from core.decisions import engine

    engine._usable.discard(Database(workspace)._key())


# ---- SQLite


def test_it_is_kept_out_of_git_and_every_commit_reaches_the_disk(tmp_path, sqlite):
    workspace = toy.build(tmp_path / "workspace", entries=0)
    note(workspace)
    assert (workspace.root / ".touchstone" / ".gitignore").read_bytes() == b"*\n"
    with Database(workspace).read() as conn:
        assert conn.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert conn.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL


def test_a_path_with_every_odd_character_works(tmp_path, sqlite):
    workspace = toy.build(tmp_path / "a b?c#d%20é研究;'\"&mode=ro", entries=0)
    note(workspace)
    assert open_log(workspace).count() == 1
    assert (workspace.root / ".touchstone" / "touchstone.db").exists()


def test_a_database_stopped_before_its_first_table_reads_as_empty_and_is_completed(tmp_path, sqlite):
    workspace = toy.build(tmp_path / "workspace", entries=0)
    (workspace.root / ".touchstone").mkdir()
    sqlite3.connect(workspace.root / ".touchstone" / "touchstone.db").close()
    (workspace.root / ".touchstone" / "touchstone.db").touch()
    assert open_log(workspace, writable=True).records() == []
    note(workspace)
    assert open_log(workspace).count() == 1


def test_what_is_no_database_is_said_in_one_line(tmp_path, sqlite):
    workspace = toy.build(tmp_path / "workspace", entries=0)
    (workspace.root / ".touchstone").mkdir()
    (workspace.root / ".touchstone" / "touchstone.db").write_text(
        "these are not the bytes of a database, but of a note" * 40
    )
    for deed in (lambda: open_log(workspace).records(), lambda: note(workspace)):
        with pytest.raises(Unavailable) as told:
            deed()
        assert str(told.value) == (
            "the decision log in .touchstone/touchstone.db cannot be used: file is not a database"
        )


def test_a_log_that_was_made_anew_while_we_run_is_another_log(tmp_path, sqlite):
    workspace = toy.build(tmp_path / "workspace", entries=0)
    for _ in range(3):
        note(workspace)
        assert open_log(workspace).count() == 1
        shutil.rmtree(workspace.root / ".touchstone")
        assert open_log(workspace).records() == []


# ---- PostgreSQL


@pytest.fixture
def postgres(monkeypatch, postgres_url) -> str:
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", postgres_url)
    return postgres_url


def test_workspaces_in_one_database_do_not_see_each_other(tmp_path, postgres):
    one, two = (toy.build(tmp_path / name, entries=0) for name in ("one", "two"))
    note(one, "a")
    note(two, "b")
    note(one, "c")
    assert [record.subject for record in open_log(one).records()] == ["a", "c"]
    assert [record.seq for record in open_log(two).records()] == [1]
    assert open_log(one).verify().ok
    assert not (one.root / ".touchstone" / "touchstone.db").exists()


def test_a_workspace_is_known_wherever_it_is_mounted(tmp_path, postgres):
    workspace = toy.build(tmp_path / "here", entries=0)
    note(workspace)
    (tmp_path / "here").rename(tmp_path / "there")
    assert open_log(Workspace.open(tmp_path / "there")).count() == 1


def test_more_workspaces_than_the_server_has_connections(tmp_path, postgres):
    for number in range(120):
        note(toy.build(tmp_path / str(number), entries=0))


def test_a_damaged_id_is_said_and_not_guessed(tmp_path, postgres):
    workspace = toy.build(tmp_path / "workspace", entries=0)
    note(workspace)
    (workspace.root / ".touchstone" / "workspace-id").write_text('x"; DROP SCHEMA public --')
    with pytest.raises(BadInput, match=r"\.touchstone/workspace-id: does not hold a workspace id"):
        open_log(workspace).records()


def test_a_server_that_is_not_there_is_said_without_the_password(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"postgresql://ana:secret@/x?host={tmp_path}")
    workspace = toy.build(tmp_path / "workspace", entries=0)
    assert open_log(workspace).records() == []  # nobody has ever decided anything here
    with pytest.raises(Unavailable, match=r"the decision log in postgresql://ana:\*\*\*@/x.* cannot be used") as told:
        note(workspace)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("nonsense", "is no database address"),
        ("mysql://ana:secret@host/x", "must begin with postgresql://, not mysql://"),
        ("sqlite:///x.db", "must begin with postgresql://, not sqlite://"),
    ],
)
def test_an_address_that_cannot_be_used_is_said(tmp_path, monkeypatch, url, reason):
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", url)
    with pytest.raises(Unavailable, match=f"TOUCHSTONE_DATABASE_URL {reason}"):
        open_log(toy.build(tmp_path / "workspace", entries=0))


@pytest.mark.parametrize("prefix", ["postgres://", "postgresql://", "postgresql+psycopg://"])
def test_the_usual_ways_to_write_the_address_work(tmp_path, monkeypatch, postgres_url, prefix):
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", prefix + postgres_url.partition("://")[2])
    workspace = toy.build(tmp_path / "workspace", entries=0)
    note(workspace)
    assert open_log(workspace).count() == 1


# ---- both


def test_the_log_goes_on_after_a_fork(workspace):
    note(workspace, "before")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            note(workspace, "child")
            code = 0
        finally:
            os._exit(code)
    note(workspace, "parent")
    assert os.waitpid(child, 0)[1] == 0
    assert sorted(record.subject for record in open_log(workspace).records()) == ["before", "child", "parent"]
    assert open_log(workspace).verify().ok


def test_a_reader_sees_one_state_while_others_write(workspace):
    """`verify` reads the records and then what is kept beside them: a record between the two is no damage."""
    note(workspace, "first")
    log = open_log(workspace)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            note(workspace)

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        verdicts = [log.verify() for _ in range(60)]
        stop.set()
        writing.result()
    assert all(verdict.ok for verdict in verdicts)
    assert verdicts[-1].records > verdicts[0].records


def test_appends_from_many_threads_are_chained_without_a_gap(workspace):
    barrier = threading.Barrier(8)
    note(workspace)

    def many(number: int) -> None:
        barrier.wait()
        for _ in range(15):
            note(workspace, f"s{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(many, range(8)))
    verdict = open_log(workspace).verify()
    assert (verdict.records, verdict.broken) == (121, ())
