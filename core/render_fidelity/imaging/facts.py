"""What is known of a picture file without its pixels: hash and header, read once as long as the file stays the same."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput, Problem
from core.files import Stamp, stamp
from core.render_fidelity.imaging.header import Header, probe_bytes, read_picture

_MOST = 20_000
_known: OrderedDict[tuple[str, Stamp], Facts | Problem] = OrderedDict()
_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class Facts:
    """A picture that can be shown: its content's sha256 (hex) and its header."""

    sha256: str
    header: Header


def facts(path: Path, label: str) -> Facts:
    """Hash and header of a picture file; an unchanged file costs one stat. Raises BadInput with the reason, always."""
    now = stamp(path)
    if now is None:
        raise BadInput.of(label, "no such file")
    with _guard:
        found = _known.get((str(path), now))
    if found is None:
        found = _read(path, label)
        with _guard:
            _known[str(path), now] = found
            while len(_known) > _MOST:
                _known.popitem(last=False)
    if isinstance(found, Problem):
        raise BadInput.of(label, found.reason, position=found.position)
    return found


def _read(path: Path, label: str) -> Facts | Problem:
    try:
        raw = read_picture(path, label)
        return Facts(hashlib.sha256(raw).hexdigest(), probe_bytes(raw, label))
    except BadInput as error:
        return error.problem
