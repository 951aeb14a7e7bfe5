"""Which files a viewer may be sent for a pack, and sending them: nothing is reached by a path from outside.

A picture is asked for by pack, kind and page number; its path comes from the pack itself, checked when it was read.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput, NotAllowed
from core.files import read_bytes, write_new
from core.render_fidelity.changes import Pair, changes_key, pack_changes, pairs, read_source, render_ref
from core.render_fidelity.imaging.pictures import FileRef, Pictures, Served
from core.render_fidelity.standing import Standing
from core.workspace import Workspace

KINDS = ("render", "original", "thumb", "thumb-original", "compare", "veil", "heat", "changes")


@dataclass(frozen=True)
class Shown:
    """The files of a pack by page number; ``faults``: why an original page has none; ``key``: a hash over all pairs."""

    slug: str
    renders: Mapping[int, FileRef]
    sources: Mapping[int, FileRef]
    faults: Mapping[int, str]
    pairs: tuple[Pair, ...]
    key: str


def shown(standing: Standing) -> Shown:
    """What a viewer of this pack may ask for."""
    pack, batch = standing.pack, standing.batch
    renders = {page.number: ref for page in pack.declared if (ref := render_ref(page, pack.label))}
    plan = standing.plan
    wanted = {page.number for page in batch.sources} | set(range(1, (plan.original_pages or 0) + 1 if plan else 1))
    read = {number: read_source(batch, number) for number in sorted(wanted)}
    found = list(pairs(pack, batch, plan))
    return Shown(
        pack.slug, renders, {number: ref for number, ref in read.items() if isinstance(ref, FileRef)},
        {number: ref for number, ref in read.items() if isinstance(ref, str)}, tuple(found), changes_key(found),
    )  # fmt: skip


def serve(what: Shown, pictures: Pictures, kind: str, page: int, source: int) -> Served:
    """The bytes for one request. Raises BadInput for what the pack does not have, and what `Pictures` raises."""
    if kind == "changes":
        return _json(pack_changes(list(what.pairs), pictures))
    if kind in ("original", "thumb-original"):
        file = _of(what.sources, source, what.slug, "original page")
        return pictures.page(file) if kind == "original" else pictures.thumb(file)
    render = _of(what.renders, page, what.slug, "page")
    if kind in ("render", "thumb"):
        return pictures.page(render) if kind == "render" else pictures.thumb(render)
    original = _of(what.sources, source, what.slug, "original page")
    if kind == "compare":
        return _json(pictures.comparison(original, render))
    if kind in ("veil", "heat"):
        return pictures.veil(original, render) if kind == "veil" else pictures.heat(original, render)
    raise BadInput.of(what.slug, f"there is no picture of the kind {kind!r}")


def _of(files: Mapping[int, FileRef], number: int, slug: str, what: str) -> FileRef:
    if number not in files:
        raise BadInput.of(slug, f"{what} {number} has no picture that can be shown")
    return files[number]


def _json(value: object) -> Served:
    return Served(json.dumps(value).encode(), "application/json")


Stamps = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Look:
    """What the files are now: one stat each. ``key(slug)`` is what a cache of that pack is keyed by."""

    packs: Mapping[str, Stamps]
    batches: Stamps

    def key(self, slug: str) -> tuple[Stamps, Stamps]:
        """Changes whenever a file of the pack or of any batch does."""
        return self.packs.get(slug, ()), self.batches


def look(workspace: Workspace) -> Look:
    """One walk over every pack and batch."""
    packs = {folder.name: tuple(_stamps([folder])) for folder in workspace.packs()}
    return Look(packs, tuple(_stamps(workspace.batches())))


def stamps(workspace: Workspace) -> tuple[object, ...]:
    """The same as one comparable value, for a watch."""
    found = look(workspace)
    return tuple(found.packs.items()), found.batches


def _stamps(folders: Iterable[Path]) -> Iterator[tuple[str, int, int]]:
    for folder in folders:
        for place, names, files in os.walk(folder):
            names.sort()
            for name in sorted(files):
                try:
                    found = os.stat(os.path.join(place, name))
                except OSError:  # a link that leads nowhere: reading it says so
                    continue
                yield os.path.join(place, name), found.st_mtime_ns, found.st_size


def signing_key(workspace: Workspace) -> bytes:
    """The workspace's own secret for picture addresses, made on first use and shared by every server process."""
    path = workspace.state_dir() / "pictures.key"
    if not path.exists():
        with workspace.lock(path):
            if not path.exists():
                write_new(path, os.urandom(32).hex().encode(), workspace.lock)
    return read_bytes(path)


def sign(key: bytes, root: Path, slug: str, expires: int) -> str:
    """A token that lets its holder see one pack's pictures until ``expires`` (seconds since 1970)."""
    body = urlsafe_b64encode(json.dumps([place_of(root), slug, expires]).encode()).decode().rstrip("=")
    return f"{body}.{_mac(key, body)}"


def place_of(root: Path) -> str:
    """A short name of a workspace that says nothing about its path."""
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def _mac(key: bytes, body: str) -> str:
    return urlsafe_b64encode(hmac.new(key, body.encode(), hashlib.sha256).digest()[:24]).decode()


def read_token(token: str) -> tuple[str, str, int]:
    """Place, slug and expiry of a token, not yet verified. Raises NotAllowed for what is no token."""
    body = token.partition(".")[0]
    try:
        place, slug, expires = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (ValueError, Base64Error, TypeError):
        raise NotAllowed("this is no picture address of Touchstone") from None
    if not (isinstance(place, str) and isinstance(slug, str) and isinstance(expires, int)):
        raise NotAllowed("this is no picture address of Touchstone")
    return place, slug, expires


def verify(key: bytes, token: str, now: float) -> str:
    """The slug that a token opens. Raises NotAllowed when it was not signed here or has expired."""
    body, _, mac = token.partition(".")
    if not hmac.compare_digest(_mac(key, body).encode(), mac.encode("utf-8", "replace")):
        raise NotAllowed("this picture address was not given out here")
    _, slug, expires = read_token(token)
    if expires <= now:
        raise NotAllowed("this picture address has expired: load the page again")
    return slug
