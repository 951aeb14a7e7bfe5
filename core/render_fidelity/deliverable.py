"""Reading ``_workspace/<batch>/fidelity_qa/<slug>.json`` as written (render-fidelity contract, Deliverable).

Nothing is corrected in silence: what had to be read differently, or could not be read, is a problem with its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import BadInput, Problem
from core.files import parse_json, read_bytes
from core.render_fidelity.crosscheck import same_family
from core.render_fidelity.recorded import COMPUTED, SUBMITTED, recorded, reproduction_claims, stripped, unjudged
from core.render_fidelity.rubric import AXES, HIGHEST, RULES, UNJUDGED, Axis, Mode, mode_of
from core.render_fidelity.verdict import Second, Stated, read_word

_SLUG = re.compile(r"(ppt|web)-[a-z0-9-]+")
REPEATED = "\u0000repeated key"
"""Stands for the value of an axis that is written twice: it is no score."""


def slug_ok(slug: object) -> bool:
    """True for ``ppt-…`` and ``web-…``: only such a slug is ever made part of a file name."""
    return isinstance(slug, str) and len(slug) <= 128 and _SLUG.fullmatch(slug) is not None


@dataclass(frozen=True)
class Deliverable:
    """One verifier's file. ``axes`` holds 0..4, or None for a value that is no score; ``raw`` is the object itself.

    ``content`` is the bytes that all of this was read from: what a writer expects to find when it puts others there.
    """

    file: str
    content: bytes
    raw: Mapping[str, Any]
    slug: str | None
    mode: Mode | None
    source_sha256: str | None
    axes: Mapping[Axis, int | None]
    stated: Stated
    stated_total: int | None
    reviewed: tuple[Any, ...]
    not_reviewed: tuple[Any, ...]
    recorded: tuple[str, ...]
    unjudged: tuple[str, ...]
    claims: tuple[str, ...]
    scored_at: str | None
    render_hashes: Mapping[str, str] | None
    problems: tuple[Problem, ...] = field(default=())

    @property
    def submitted(self) -> Stated:
        """The verdict that somebody submitted. A word that Touchstone computed and wrote is nobody's."""
        return read_word(self.raw[self.submitted_in]) if self.submitted_in in self.raw else Stated(None)

    @property
    def submitted_in(self) -> str:
        """The key under which a submitted word stands, if there is one: ``verdict``, unless that is a computed one."""
        ours = COMPUTED in self.raw and "verdict" in self.raw and self.raw["verdict"] == self.raw[COMPUTED]
        return SUBMITTED if ours else "verdict"

    @property
    def total_words(self) -> str:
        """The total as the file writes it: ``31``, ``"twenty"``."""
        return json.dumps(self.raw.get("total"), ensure_ascii=False)[:40]

    @property
    def reviewer(self) -> str:
        """Who scored, as the file says; empty when it does not."""
        return stripped(self.raw.get("reviewer")) or stripped(self.raw.get("verifier"))

    def second(self, author: str | None) -> Second:
        """The second verifier of this file, its total recomputed; why there is none stands in the result."""
        return read_second(self.raw.get("cross_check"), self.mode, author=author, primary=self.reviewer)


def read_deliverable(path: Path, file: str | None = None) -> Deliverable:
    """Read one deliverable. Raises BadInput when the file is not one strict JSON object."""
    label = file or str(path)
    return parse_deliverable(read_bytes(path, label), label)


def parse_deliverable(raw: bytes | str, file: str) -> Deliverable:
    """Parse one deliverable.

    A key that stands twice among the axes makes that axis unscored (contract, Verdict); twice anywhere else the file is
    unreadable: BadInput, as for everything that strict JSON is not.
    """
    problems: list[Problem] = []
    value = _parse(raw, file, problems)
    if not isinstance(value, dict):
        raise BadInput.of(file, "not a JSON object", line=1)
    mode = mode_of(value.get("reference_mode"))
    axes = _axes(value.get("axes"), file, problems)
    stated = read_word(value["verdict"]) if "verdict" in value else Stated(None)
    if stated.mark:
        problems.append(Problem(file, f"verdict: {stated.mark}"))
    total = read_score(value.get("total"), RULES[mode].maximum if mode else HIGHEST * len(AXES))
    _note(value, "total", total, file, problems)
    hashes = value.get("render_hashes")
    if hashes is not None and not isinstance(hashes, dict):
        problems.append(Problem(file, "render_hashes is not an object: the scores are tied to no render"))
    reviewed, not_reviewed = (
        _page_list(value, key, file, problems) for key in ("pages_reviewed", "pages_not_reviewed")
    )
    return Deliverable(
        file, raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw, value,
        value["slug"] if isinstance(value.get("slug"), str) else None, mode,
        stripped(value.get("source_sha256")) or None, axes, stated, _stated_total(value.get("total"), total.score),
        tuple(reviewed), tuple(not_reviewed),
        tuple(recorded(value)), tuple(unjudged(value)),
        tuple(reproduction_claims(value) if mode == "style_synthesis" else ()),
        stripped(value.get("scored_at")) or None,
        {str(key): str(text) for key, text in hashes.items()} if isinstance(hashes, dict) else None,
        tuple(problems),
    )  # fmt: skip


def _parse(raw: bytes | str, file: str, problems: list[Problem]) -> Any:
    try:
        return parse_json(raw, file)
    except BadInput as error:
        if "stands twice" not in str(error):
            raise
        strict = error
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        twice = {key for key, _ in items if sum(other == key for other, _ in items) > 1}
        if twice - set(AXES):
            raise strict
        repeated.extend(sorted(twice))
        return made | dict.fromkeys(twice, REPEATED)

    text = raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw.removeprefix("\ufeff")
    # The same strictness as parse_json, with the repeated axes set apart: a re-parse of the text that results.
    try:
        again = json.loads(text, object_pairs_hook=pairs)
    except ValueError:
        raise strict from None
    value = parse_json(json.dumps(again), file)
    problems += [Problem(file, f"{axis} stands twice: no score", position=strict.problem.position) for axis in repeated]
    return value


@dataclass(frozen=True, slots=True)
class ReadScore:
    """A score as read, with what is odd about how it was written."""

    score: int | None
    mark: str = ""


def read_score(value: object, highest: int = HIGHEST) -> ReadScore:
    """A whole number from 0 to ``highest``. ``"4"`` is read and marked; 3.5, 4.0, true and null are no score."""
    if isinstance(value, bool) or value is None:
        return ReadScore(None, f"{json.dumps(value)} is no score")
    if isinstance(value, str):
        plain = value.strip()
        if plain.isascii() and plain.isdigit() and len(plain) < 4 and int(plain) <= highest:
            return ReadScore(int(plain), f"{value!r} is text, read as {int(plain)}")
        return ReadScore(None, "stands twice: no score" if value == REPEATED else f"{value[:40]!r} is no score")
    if isinstance(value, int) and 0 <= value <= highest:
        return ReadScore(value)
    return ReadScore(None, f"{str(value)[:40]} is not a whole number from 0 to {highest}")


def _axes(value: object, file: str, problems: list[Problem]) -> dict[Axis, int | None]:
    if not isinstance(value, dict):
        if value is not None:
            problems.append(Problem(file, "axes is not an object"))
        return dict.fromkeys(AXES)
    read = {axis: read_score(value[axis]) for axis in AXES if axis in value}
    for axis, score in read.items():
        if score.mark and value[axis] is not None and value[axis] != REPEATED:
            problems.append(Problem(file, f"axes.{axis}: {score.mark}"))
    problems += [Problem(file, f"axes.{str(key)[:40]!r} is no axis") for key in value if key not in AXES]
    return {axis: read[axis].score if axis in read else None for axis in AXES}


def _note(value: Mapping[str, Any], key: str, read: ReadScore, file: str, problems: list[Problem]) -> None:
    if read.mark and value.get(key) is not None:
        problems.append(Problem(file, f"{key}: {read.mark}"))


def _page_list(value: Mapping[str, Any], key: str, file: str, problems: list[Problem]) -> list[Any]:
    """A list of pages as written, empty where none is meant. Any other value is a problem: it reviews no page, and as
    ``pages_not_reviewed`` it leaves open what it may have meant.
    """
    found = value.get(key)
    if not found or (isinstance(found, str) and not found.strip()):
        return []
    if not isinstance(found, list):
        problems.append(Problem(file, f"{key} is not a list but {json.dumps(found, ensure_ascii=False)[:60]}"))
        return [found] if key == "pages_not_reviewed" else []
    return found


def _stated_total(value: object, score: int | None) -> int | None:
    """The total that the file claims; one that cannot be is kept apart as -1, so that it never agrees with a sum."""
    return score if score is not None or value is None else -1


def read_second(value: object, mode: Mode | None, *, author: str | None, primary: str = "") -> Second:
    """The second verifier as recorded; its total is recomputed from its axes where it has any.

    Not run, of the author's or the first verifier's family, or with a total that cannot be: ``total`` is None and
    ``why`` says which.
    """
    if not isinstance(value, Mapping) or stripped(value.get("status")) in ("not_run", *UNJUDGED):
        reason = stripped(value.get("reason")) if isinstance(value, Mapping) else ""
        return Second(None, why=f"it has not run{f' ({reason})' if reason else ''}")
    verifier = stripped(value.get("verifier"))
    axes = value.get("axes")
    own = _axes(axes, "", []) if isinstance(axes, Mapping) else None
    rights = own["F7"] if own and mode and "F7" in RULES[mode].axes else None
    for who, other in (("author", author), ("first verifier", primary)):
        shared = same_family(verifier, other)
        if shared:
            why = f"refused: {verifier} is of the {who}'s family ({shared}), false consensus"
            return Second(None, rights, verifier, why)
    total, why = _second_total(value, own, mode)
    return Second(total, rights, verifier, why)


def _second_total(
    value: Mapping[str, Any], own: Mapping[Axis, int | None] | None, mode: Mode | None
) -> tuple[int | None, str]:
    rule = RULES[mode] if mode else None
    if rule is None or not rule.axes:
        return None, "nothing to cross-check in this mode"
    if own is not None:
        scores = [own[axis] for axis in rule.axes]
        missing = [axis for axis in rule.axes if own[axis] is None]
        if missing:
            return None, f"invalid: the second verifier has no score for {', '.join(missing)}"
        return sum(score for score in scores if score is not None), ""
    read = read_score(value.get("total"), rule.maximum)
    if read.score is None:
        return None, f"invalid: its total {read.mark}"
    return read.score, ""
