"""The one writer: compare-and-swap, whole or not at all (contract README, "Writes are safe")."""

import os
import threading

import pytest

from core.errors import Conflict
from core.files import folder_lock, replace, write_new
from core.files import write as writer


@pytest.fixture
def lock(tmp_path):
    return folder_lock(tmp_path / "locks")


def test_replaces_only_what_was_read(tmp_path, lock):
    path = tmp_path / "a.md"
    write_new(path, b"one", lock)
    replace(path, b"two", expected=b"one", lock=lock)
    with pytest.raises(Conflict, match=r"a\.md was changed"):
        replace(path, b"three", expected=b"one", lock=lock)
    with pytest.raises(Conflict):
        write_new(path, b"four", lock)
    assert path.read_bytes() == b"two"


def test_keeps_the_mode_and_a_link(tmp_path, lock):
    path = tmp_path / "a.md"
    path.write_bytes(b"one")
    path.chmod(0o640)
    (tmp_path / "link.md").symlink_to("a.md")
    replace(tmp_path / "link.md", b"two", expected=b"one", lock=lock)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o640)
    assert (tmp_path / "link.md").is_symlink()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_before_the_rename_leaves_the_old_bytes_and_no_temp_file(tmp_path, lock, monkeypatch, step):
    path = tmp_path / "a.md"
    path.write_bytes(b"one")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(writer.os, step, fail)
    with pytest.raises(OSError, match="disk full"):
        replace(path, b"two", expected=b"one", lock=lock)
    assert path.read_bytes() == b"one"
    assert [name for name in os.listdir(tmp_path) if name != "locks"] == ["a.md"]


def test_twenty_threads_that_add_one_each_add_twenty(tmp_path, lock):
    path = tmp_path / "count"
    path.write_bytes(b"0")

    def add():
        with lock(path):  # re-entrant: replace takes it again
            before = path.read_bytes()
            replace(path, str(int(before) + 1).encode(), expected=before, lock=lock)

    threads = [threading.Thread(target=add) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == b"20"
