"""A word difference of two texts (design: "word diff to the previous run"). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel

# A word, one character of a script that has no spaces, a run of white space, or one other character.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|\s+|[^\w\s]"
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_TOKENS = 20_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that both have (``same``), only the first (``gone``) or only the second (``new``)."""

    kind: Literal["same", "gone", "new"]
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces in order: without the new ones they spell ``before``, without the gone ones ``after``.

    Texts of more than 20,000 words are compared by line. A blank between two changed words counts as changed with them,
    so that a rewritten phrase reads as one.
    """
    old, new = _tokens(before), _tokens(after)
    if max(len(old), len(new)) > _MOST_TOKENS:
        old, new = _LINE.findall(before), _LINE.findall(after)
    pieces: list[Piece] = []
    for code in Indel.opcodes(old, new):
        if code.tag == "equal":
            pieces.append(Piece("same", "".join(old[code.src_start : code.src_end])))
        elif code.tag == "delete":
            pieces.append(Piece("gone", "".join(old[code.src_start : code.src_end])))
        else:
            pieces.append(Piece("new", "".join(new[code.dest_start : code.dest_end])))
    return _grouped(pieces)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _grouped(pieces: list[Piece]) -> list[Piece]:
    """Runs of changes as one gone and one new piece; a blank inside a run joins it."""
    grouped: list[Piece] = []
    gone = new = ""
    for index, piece in enumerate(pieces):
        inside = (gone or new) and piece.kind == "same" and not piece.text.strip() and "\n" not in piece.text
        if inside and index + 1 < len(pieces):
            gone, new = gone + piece.text, new + piece.text
            continue
        if piece.kind == "same":
            grouped += _flush(gone, new)
            gone = new = ""
            grouped.append(piece)
        elif piece.kind == "gone":
            gone += piece.text
        else:
            new += piece.text
    return [*grouped, *_flush(gone, new)]


def _flush(gone: str, new: str) -> list[Piece]:
    return [piece for piece in (Piece("gone", gone), Piece("new", new)) if piece.text]


def changed(pieces: list[Piece]) -> tuple[int, int]:
    """How many words are gone and how many are new."""
    counts = {
        kind: sum(len(_tokens(p.text)) - len(re.findall(r"\s+", p.text)) for p in pieces if p.kind == kind)
        for kind in ("gone", "new")
    }
    return counts["gone"], counts["new"]
