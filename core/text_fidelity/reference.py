"""A case's reference: a text file under the eval folder, or inline text (text-fidelity contract, The eval folder)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.files import read_text
from core.text_fidelity.place import inside

FILE_ENDINGS = (".txt", ".md", ".rst", ".html", ".json", ".yaml")
"""A reference without white space that ends so and names no file is a missing file (contract, The eval folder)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a case is compared with; ``path`` is set, as written in the config, when it came from a file."""

    text: str
    path: str | None


def resolve(folder: Path, written: str) -> Reference:
    """Read a reference.

    A file when it names one under the folder; with no white space and ending as a text file does it is a missing file;
    everything else is inline text, whatever its length or script. Raises BadInput for a missing, empty or undecodable
    one and for a file called ``rubric``; UnsafePath for one that leaves the folder.
    """
    if not written.strip():
        raise BadInput.of("config.json", "an empty reference")
    path = _named_file(folder, written)
    if path is None:
        return Reference(written, None)
    if written == "rubric":
        # Its hash would be stored under the key that holds the rubric's own (contract, The eval folder).
        raise BadInput.of("rubric", "a reference file must not be called rubric: give it another name")
    return Reference(_file_text(path, written), written)


def _named_file(folder: Path, written: str) -> Path | None:
    """The file that a reference names, or None for inline text."""
    try:
        exists, is_file = (folder / written).exists(), (folder / written).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL: text
        return None
    if not exists and not _looks_like_a_file(written):
        return None
    path = inside(folder, written)
    if not exists:
        raise BadInput.of(written, "the reference names a file that is missing")
    return path if is_file else None


def _file_text(path: Path, written: str) -> str:
    read = read_text(path, written)
    if not read.complete:
        raise BadInput(read.problems[0])
    if not read.text.strip():
        raise BadInput.of(written, "an empty reference")
    return read.text


def _looks_like_a_file(written: str) -> bool:
    return not any(char.isspace() for char in written) and written.lower().endswith(FILE_ENDINGS)
