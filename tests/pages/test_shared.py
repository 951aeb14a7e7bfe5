"""The shared pieces without an app: escaping, the verdict table, CSV, the cache, chart specs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pages.shared import charts, data, downloads, tables, text, verdicts

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG contrast ratio, 1 to 21. Black on white: (1 + 0.05) / (0 + 0.05) = 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_wcag_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_verdict_word_can_be_read_on_its_tint_and_on_the_page(mode: str) -> None:
    page = THEME[mode]["backgroundColor"]
    side = THEME[mode]["sidebar"]["backgroundColor"]
    for name, (words, tint, _) in verdicts.PALETTE[mode].items():
        assert contrast(words, tint) >= 4.5, name
        assert contrast(words, page) >= 4.5, name
        assert contrast(words, side) >= 4.5, name


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_palette_is_the_themes(mode: str) -> None:
    for name in ("green", "red", "orange", "violet", "gray", "blue"):
        theme = (f"{name}TextColor", f"{name}BackgroundColor", f"{name}Color")
        assert verdicts.PALETTE[mode][name] == tuple(THEME[mode][key] for key in theme)  # type: ignore[index]
    series = THEME[mode].get("chartCategoricalColors") or THEME["chartCategoricalColors"]
    assert charts.SERIES[mode] == series


def test_words_of_the_contracts_have_their_colours() -> None:
    expected = {
        "pass": "green", "fail": "red", "reject": "red", "unverified": "orange", "needs_review": "orange",
        "PARTIAL": "orange", "stale": "orange", "needs_human": "violet", "not_applicable": "gray",
        "not_captured": "gray", "awaiting judge": "gray", "env_error": "outline", "PROBE_ERROR": "outline",
    }  # fmt: skip
    assert {word: verdicts.look(word).colour for word in expected} == expected


def test_an_unknown_word_never_looks_like_a_pass() -> None:
    assert verdicts.look("passed?").colour == "gray"
    assert verdicts.look("passed?").icon == "help"


def test_foreign_text_is_text() -> None:
    nasty = '<img src=x onerror=alert(1)> & "q" [a](javascript:1) :red[x]\x00\x1b'
    shown = text.verbatim(nasty)
    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt; &amp; &quot;q&quot;" in shown
    assert "\x00" not in shown


def test_a_label_holds_no_markdown() -> None:
    shown = text.label("**b** [a](http://x.y) :red[z]\n# h `c` $x$ <b>")
    assert shown.startswith(r"\*\*b\*\* \[a\]\(http\:")
    assert "http://" not in shown.replace("\\", "")
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("url", "opens"),
    [
        ("https://example.org/a(b)?q=1&r=<x>", True),
        ("HTTP://EXAMPLE.org", True),
        ("javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//example.org", False),
        ("https://[broken", False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(url: str, opens: bool) -> None:
    shown = text.link(url, "words")
    assert shown.startswith("<a href=") is opens
    assert "words" in shown
    if opens:
        assert 'rel="noopener noreferrer nofollow"' in shown
        assert "<x>" not in shown


def test_csv_runs_nothing_in_a_spreadsheet() -> None:
    rows = [{"a": "=1+1", "n": -3}, {"a": "@x", "n": None}, {"a": 'fine, "q"\nz', "n": 2.5}]
    assert downloads.to_csv(rows).decode("utf-8-sig") == ('a,n\r\n\'=1+1,-3\r\n\'@x,\r\n"fine, ""q""\nz",2.5\r\n')


def test_table_search_wants_every_word_somewhere() -> None:
    rows = [{"a": "Prompt Library", "b": "x"}, {"a": "prompt", "b": "LIBRARY"}, {"a": "other", "b": "prompt"}]
    assert tables.matching(rows, ["a", "b"], "library prompt") == rows[:2]
    assert tables.matching(rows, ["a"], "library") == rows[:1]
    assert tables.matching(rows, ["a"], "  ") == rows


def test_cache_reads_again_exactly_when_the_file_changed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("one", "utf-8")
    calls: list[str] = []

    def read(name: str) -> str:
        calls.append(name)
        return path.read_text("utf-8")

    try:
        assert [data.cached(read, "n", paths=[path]) for _ in range(3)] == ["one"] * 3
        assert calls == ["n"]
        path.write_text("longer", "utf-8")
        assert data.cached(read, "n", paths=[path]) == "longer"
        path.unlink()
        with pytest.raises(FileNotFoundError):
            data.cached(read, "n", paths=[path])
        path.write_text("back", "utf-8")
        assert data.cached(read, "n", paths=[path]) == "back"
        assert data.cached(read, "n", paths=[path], extra="other day") == "back"
        assert len(calls) == 5
    finally:
        data.forget()


def test_cache_keeps_values_of_different_arguments_apart() -> None:
    def twice(number: int) -> int:
        return number * 2

    try:
        assert [data.cached(twice, 1), data.cached(twice, 2), data.cached(twice, 1)] == [2, 4, 2]
    finally:
        data.forget()


def test_chart_look_is_valid_vega_lite() -> None:
    spec = {
        "mark": "line",
        "encoding": {"x": {"field": "run", "type": "quantitative"}},
        "config": {"axisX": {"grid": True}},
    }
    themed = charts.themed(spec)
    charts.validate(themed)
    assert themed["config"]["axisX"] == {"grid": True}, "a page's own wish wins"
    assert themed["config"]["view"] == {"stroke": None}
    with pytest.raises(Exception, match="nonsense"):
        charts.validate({"mark": "nonsense"})
