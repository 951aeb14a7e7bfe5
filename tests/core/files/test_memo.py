"""What was made of files is made again exactly when they change (contract triage, "Only changed files")."""

from datetime import UTC, datetime, timedelta

from core.files.memo import Memo, seen

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_stamps_see_new_changed_and_gone_files_and_no_hidden_ones(tmp_path):
    (tmp_path / "a" / "deep").mkdir(parents=True)
    before = seen(tmp_path)
    (tmp_path / "a" / "deep" / "x.json").write_text("1")
    one = seen(tmp_path)
    (tmp_path / ".a.tmp").write_text("2")
    assert (len(before), len(one), seen(tmp_path)) == (0, 1, one)
    (tmp_path / "a" / "deep" / "x.json").write_text("22")
    assert seen(tmp_path) != one
    assert seen(tmp_path / "absent") == ()
    assert len(seen(tmp_path / "a" / "deep" / "x.json")) == 1


def test_a_link_to_nowhere_is_a_file_and_a_linked_folder_is_followed_once(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "nowhere").symlink_to("absent")
    assert len(seen(tmp_path)) == 2
    (tmp_path / "x.json").write_text("1")
    before = seen(tmp_path / "a")
    assert len(before) == 3  # the two links, and the file that one of them leads to
    (tmp_path / "x.json").write_text("22")
    assert seen(tmp_path / "a") != before


def test_made_once_until_it_differs_or_its_time_comes():
    memo, made = Memo(), []

    def make():
        made.append(1)
        return len(made), NOW + timedelta(hours=1)

    assert [memo.get("k", "same", make, NOW) for _ in range(3)] == [1, 1, 1]
    assert memo.get("k", "other", make, NOW) == 2
    assert memo.get("k", "other", make, NOW + timedelta(hours=1)) == 3
    assert memo.get("l", "other", make, NOW) == 4


def test_only_the_last_used_are_held():
    memo = Memo(most=2)
    for key in ("a", "b", "a", "c"):
        memo.get(key, 0, lambda key=key: (key, None))
    again = []
    memo.get("a", 0, lambda: (again.append("a"), None))
    memo.get("b", 0, lambda: (again.append("b"), None))
    assert again == ["b"]
