"""`feedback.json` beside the receipt: what the rules found, and what people decided, which is final."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

from core import files
from core.errors import BadInput
from core.files import jsontext
from core.report_loop import inputs
from core.report_loop.feedback.classify import classify
from core.report_loop.feedback.edits import find_edits
from core.report_loop.feedback.model import Decider, Edit, EditClass, Feedback, Judged, Ruling, numbered, with_ruling
from core.report_loop.signals.blocks import kind_of
from core.report_loop.words import DIMENSIONS

FILE = "feedback.json"
VERSION = 1
_SUFFIXES = (".html", ".htm", ".md", ".markdown", ".txt")
_FINAL = ("person", "judge")


def find_pair(folder: Path, root: Path | None = None) -> tuple[Path, Path] | None:
    """``shipped.*`` and ``reviewed.*`` of a run in a format that can be compared; None unless both are there.

    Raises BadInput where one of them is a link out of the workspace at ``root`` (default: out of the run folder).
    """
    try:
        names = set(os.listdir(folder))
    except OSError:
        return None
    shipped, reviewed = (
        next((f"{side}{end}" for end in _SUFFIXES if f"{side}{end}" in names), None) for side in ("shipped", "reviewed")
    )
    if shipped is None or reviewed is None:
        return None
    pair = inputs.locate(root or folder, folder, shipped), inputs.locate(root or folder, folder, reviewed)
    return (pair[0], pair[1]) if pair[0] is not None and pair[1] is not None else None


def compare(shipped: Path, reviewed: Path, earlier: Feedback | None = None) -> Feedback:
    """Every edit between the two files with its ruling; rulings of a judge or a person in ``earlier`` stand.

    Raises BadInput when a file cannot be read as text to its end: half a report would show deletions nobody made.
    """
    texts = []
    for path in (shipped, reviewed):
        text = files.read_text(path, path.name)
        if not text.complete:
            raise BadInput(text.problems[0])
        texts.append(text)
    edits = find_edits(texts[0].text, texts[1].text, kind_of(reviewed.name))
    judged = numbered([(edit, classify(edit)) for edit in edits])
    final = {one.id: one.ruling for one in earlier.edits if one.ruling.decided_by in _FINAL} if earlier else {}
    return Feedback(
        shipped=shipped.name,
        reviewed=reviewed.name,
        shipped_sha256=_digest(texts[0].raw),
        reviewed_sha256=_digest(texts[1].raw),
        edits=tuple(with_ruling(one, final.get(one.id, one.ruling)) for one in judged),
    )


def current(folder: Path, root: Path | None = None) -> Feedback | None:
    """The feedback of a run as its files are now: read from ``feedback.json`` when that is about these two versions.

    None without a shipped and a reviewed version and without a feedback.json. Writes nothing. Raises BadInput, also
    where one of the files is a link out of the workspace at ``root`` (default: out of the run folder).
    """
    path = inputs.locate(root or folder, folder, FILE)
    kept = None if path is None else read(files.read_json(path, FILE))
    pair = find_pair(folder, root)
    if pair is None:
        return kept
    digests = tuple(_digest(files.read_bytes(side, side.name)) for side in pair)
    if kept is not None and digests == (kept.shipped_sha256, kept.reviewed_sha256):
        return kept
    return compare(*pair, kept)


def to_json(feedback: Feedback) -> dict[str, Any]:
    """The document's form; `read` gives the same feedback back."""
    share = feedback.share
    return {
        "feedback_version": VERSION,
        "shipped": {"file": feedback.shipped, "sha256": feedback.shipped_sha256},
        "reviewed": {"file": feedback.reviewed, "sha256": feedback.reviewed_sha256},
        "counts": {cls: feedback.count(cls) for cls in get_args(EditClass)},
        "substantive_share": share.value,
        "interval": [share.interval.low, share.interval.high] if share.interval else None,
        "misses": feedback.misses,
        "edits": [_edit_json(judged) for judged in feedback.edits],
    }


def as_bytes(feedback: Feedback, before: bytes | None = None) -> bytes:
    """The document as it is written: into the document ``before``, where there is one, member by member.

    Written are the totals and what is read otherwise than it is to be. All else (members, values, spelling, BOM, line
    ends) stays as it is, in an edit as long as the edit does. Raises BadInput where ``before`` is not a document that
    `read` takes, or one of a version that is not known here and would change.
    """
    made = to_json(feedback)
    if before is None:
        return jsontext.encoded(json.dumps(made, ensure_ascii=False, indent=2) + "\n")
    value = files.parse_json(before, FILE)
    stood = read(value)
    if before == as_bytes(stood):
        return as_bytes(feedback)  # all of it is ours
    was = to_json(stood)
    text = _set_edits(before.decode("utf-8"), was["edits"], made["edits"])
    for side in ("shipped", "reviewed"):
        if was[side] != made[side]:
            text = _set_within(text, side, made[side])
    text = _set_within(text, "counts", made["counts"])
    text = _set_changed(text, {name: made[name] for name in ("substantive_share", "interval")})
    after = jsontext.encoded(_set_within(text, "misses", made["misses"], DIMENSIONS))
    version = value.get("feedback_version")
    if after != before and version not in (None, VERSION):
        reason = f"version {version!r} is not known here, {VERSION} is; it is not overwritten"
        raise BadInput.of(FILE, reason, position="feedback_version")
    return after


def _set_changed(text: str, values: Mapping[str, Any]) -> str:
    """The object with these members; one that says the same already keeps its spelling."""
    known: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return jsontext.set_members(
        text, {name: value for name, value in values.items() if name not in known or known[name] != value}
    )


def _set_within(text: str, name: str, values: Mapping[str, Any], ours: Sequence[str] = ()) -> str:
    """The object with these members in its member ``name``, whose others stay but for those of ``ours``."""
    place = next((member for member in jsontext.members(text) if member.name == name), None)
    if place is None or text[place.value_start] != "{":
        return _set_changed(text, {name: values})
    inner = text[place.value_start : place.end]
    for gone in ours:
        inner = inner if gone in values else jsontext.remove_member(inner, gone)
    return text[: place.value_start] + _set_changed(inner, values) + text[place.end :]


def _set_edits(text: str, was: Sequence[Mapping[str, Any]], edits: Sequence[Mapping[str, Any]]) -> str:
    """The document, whose edits are read as ``was``, with these: each into its own object where there is one."""
    start = next(member.value_start for member in jsontext.members(text) if member.name == "edits")
    places = jsontext.elements(text, start)
    if [old["id"] for old in was] == [edit["id"] for edit in edits]:
        for (at, end), old, edit in reversed(list(zip(places, was, edits, strict=True))):
            text = text[:at] + _set_edit(text[at:end], old, edit) + text[end:]
        return text
    by_id = {old["id"]: (text[at:end], old) for (at, end), old in zip(places, was, strict=True)}
    text = jsontext.set_members(text, {"edits": list(edits)})
    for number, edit in reversed(list(enumerate(edits))):
        if edit["id"] in by_id:
            at, end = jsontext.elements(text, start)[number]
            written, old = by_id[edit["id"]]
            text = text[:at] + _set_edit(written, old, edit) + text[end:]
    return text


def _set_edit(text: str, was: Mapping[str, Any], edit: Mapping[str, Any]) -> str:
    """An edit's object, which is read as ``was``: what is read as it is to be stays, a null or a "12" too."""
    return jsontext.set_members(text, {name: value for name, value in edit.items() if was[name] != value})


def _edit_json(judged: Judged) -> dict[str, Any]:
    edit, ruling = judged.edit, judged.ruling
    return {
        "id": judged.id, "class": ruling.cls, "dimension": ruling.dimension, "reason": ruling.reason,
        "decided_by": ruling.decided_by, "reviewer": ruling.reviewer, "at": ruling.at, "sort": edit.sort,
        "before": edit.before, "after": edit.after, "context": edit.context, "now": edit.now, "line": edit.line,
        "node": edit.node, "role": edit.role, "times": edit.times,
    }  # fmt: skip


def read(value: Any, file: str = FILE) -> Feedback:
    """Feedback out of parsed JSON. Raises BadInput, naming the edit, for what is not in this form."""
    if not isinstance(value, Mapping) or not isinstance(value.get("edits"), list):
        raise BadInput.of(file, "must be an object with a list of edits")
    shipped, reviewed = (_side(value.get(name)) for name in ("shipped", "reviewed"))
    return Feedback(
        shipped=shipped[0],
        reviewed=reviewed[0],
        shipped_sha256=shipped[1],
        reviewed_sha256=reviewed[1],
        edits=tuple(_read_edit(item, f"edits[{number}]", file) for number, item in enumerate(value["edits"])),
    )


def _side(value: Any) -> tuple[str, str]:
    return (_text(value, "file"), _text(value, "sha256")) if isinstance(value, Mapping) else ("", "")


def _text(item: Mapping[str, Any], name: str) -> str:
    """A member as text; null says nothing."""
    value = item.get(name)
    return "" if value is None else str(value)


def _read_edit(item: Any, place: str, file: str) -> Judged:
    if not isinstance(item, Mapping) or not isinstance(item.get("id"), str):
        raise BadInput.of(file, "an edit is an object with an id", position=place)
    cls, dimension, decider = item.get("class"), item.get("dimension"), item.get("decided_by", "rule")
    if cls not in get_args(EditClass) or decider not in get_args(Decider) or dimension not in (None, *DIMENSIONS):
        raise BadInput.of(file, f"class {cls!r}, decided by {decider!r}, dimension {dimension!r}", position=place)
    line, times = item.get("line", 1), item.get("times", 1)
    texts = {name: _text(item, name) for name in ("sort", "before", "after", "context", "now", "node", "role")}
    edit = Edit(**texts, line=line if isinstance(line, int) else 1, times=times if isinstance(times, int) else 1)  # type: ignore[arg-type]  # a foreign sort is shown as it stands
    reason, reviewer, at = (_text(item, name) for name in ("reason", "reviewer", "at"))
    ruling = Ruling(cast("EditClass", cls), reason, dimension, decider, reviewer, at)
    return Judged(item["id"], edit, ruling)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def ruled(feedback: Feedback, edit_id: str, ruling: Ruling | None) -> Feedback:
    """The feedback with one edit under that ruling, or under the rules' own (None)."""
    edits = tuple(
        with_ruling(judged, ruling or classify(judged.edit)) if judged.id == edit_id else judged
        for judged in feedback.edits
    )
    return replace(feedback, edits=edits)


def with_judged(standing: Feedback, judged: Feedback) -> Feedback:
    """What stands now, with a judge's rulings on the edits that nobody has decided while the judge was asked."""
    rulings = {one.id: one.ruling for one in judged.edits if one.ruling.decided_by in ("judge", "nobody")}
    edits = tuple(
        with_ruling(one, rulings.get(one.id, one.ruling)) if one.ruling.cls == "undecided" else one
        for one in standing.edits
    )
    return replace(standing, edits=edits)
