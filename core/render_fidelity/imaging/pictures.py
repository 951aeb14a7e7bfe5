"""Every picture a page asks for, made once and kept by content hash (render-fidelity contract, The page).

``original bytes`` are served as they are wherever a browser shows them just as they are compared; everything else is
derived, and can be made again at any time.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from core.errors import Stale
from core.files.scratch import keep, kept
from core.render_fidelity.imaging import compare as comparing
from core.render_fidelity.imaging.decode import decode, encode_png, thumbnail
from core.render_fidelity.imaging.facts import facts
from core.render_fidelity.imaging.header import MEDIA, probe_bytes, read_picture

Kind = Literal["page", "thumb", "veil", "heat", "compare"]
THUMB_WIDTH = 320
LARGE = 9_000_000
"""Pixels from which a page is worked on alone."""


class _Room:
    """Decoded pages are large: two pieces of work at a time, or one large one, keep the server's memory bounded."""

    def __init__(self) -> None:
        self._slots, self._door = threading.BoundedSemaphore(2), threading.Lock()

    @contextmanager
    def __call__(self, *sizes: int) -> Iterator[None]:
        with ExitStack() as held:
            with self._door:  # one at a time asks for both slots, so that two do not wait for each other
                for _ in range(2 if max(sizes, default=0) > LARGE else 1):
                    held.enter_context(self._slots)
            yield


_room = _Room()
_VEIL = (17, 22, 27)
_VEIL_ALPHA = 214


@dataclass(frozen=True, slots=True)
class FileRef:
    """A picture file and the hash it is expected to have: another content is another page."""

    path: Path
    label: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Served:
    """Bytes with their media type."""

    content: bytes
    media: str


class Pictures:
    """Makes and keeps derived pictures in ``folder`` (None: keeps nothing)."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def page(self, file: FileRef) -> Served:
        """The page at full resolution: the file's own bytes, or a lossless PNG where it had to be converted.

        Raises Stale when the file has another content by now, BadInput when it is no usable picture.
        """
        raw = _read(file)
        header = probe_bytes(raw, file.label)
        if header.plain:
            return Served(raw, MEDIA[header.format])
        made = self._made(f"page-{file.sha256}.png", lambda: encode_png(decode(raw, file.label).image), file)
        return Served(made, "image/png")

    def thumb(self, file: FileRef) -> Served:
        """The page 320 px wide. Raises as `page` does."""

        def make() -> bytes:
            return encode_png(_palette(thumbnail(decode(_read(file), file.label).image, THUMB_WIDTH)), 6)

        return Served(self._made(f"thumb-{file.sha256}.png", make, file), "image/png")

    def comparison(self, original: FileRef, render: FileRef) -> dict[str, Any]:
        """What differs, as `compare.Comparison` in JSON form. Raises as `page` does."""
        name = self._pair(original, render, "json")
        found = self._kept(name)
        if found is None:
            found, _ = self._compare(original, render)
        result: dict[str, Any] = json.loads(found)
        return result

    def veil(self, original: FileRef, render: FileRef) -> Served:
        """A dark veil with holes where something changed, to be laid over the render. Raises as `page` does."""
        found = self._kept(self._pair(original, render, "veil.png"))
        return Served(found if found is not None else self._compare(original, render)[1], "image/png")

    def heat(self, original: FileRef, render: FileRef) -> Served:
        """How strongly every pixel differs, from black over red to white. Raises as `page` does."""

        def make() -> bytes:
            return _heat(self._differences(original, render).strength)

        return Served(self._made(self._pair(original, render, "heat.png"), make, original, render), "image/png")

    def _compare(self, original: FileRef, render: FileRef) -> tuple[bytes, bytes]:
        names = self._pair(original, render, "json"), self._pair(original, render, "veil.png")
        with _room(_pixels(original), _pixels(render)):
            text, veil = (self._kept(name) for name in names)
            if text is not None and veil is not None:  # another visitor asked for the same pair meanwhile
                return text, veil
            differences = self._differences(original, render)
            text, veil = json.dumps(differences.comparison.as_dict()).encode(), _veil(differences.mask)
        self._keep(names[0], text)
        self._keep(names[1], veil)
        return text, veil

    def _differences(self, original: FileRef, render: FileRef) -> comparing.Differences:
        one, other = decode(_read(original), original.label), decode(_read(render), render.label)
        return comparing.compare(one, other)

    def _pair(self, original: FileRef, render: FileRef, end: str) -> str:
        key = f"{original.sha256}/{render.sha256}/{comparing.VERSION}"
        return f"pair-{hashlib.sha256(key.encode()).hexdigest()[:40]}.{end}"

    def _made(self, name: str, make: Callable[[], bytes], *files: FileRef) -> bytes:
        found = self._kept(name)
        if found is not None:
            return found
        with _room(*map(_pixels, files)):
            made = self._kept(name) or make()
        self._keep(name, made)
        return made

    def _kept(self, name: str) -> bytes | None:
        return kept(self.folder / name) if self.folder else None

    def _keep(self, name: str, content: bytes) -> None:
        if self.folder:
            keep(self.folder / name, content)


def _read(file: FileRef) -> bytes:
    raw = read_picture(file.path, file.label)
    if hashlib.sha256(raw).hexdigest() != file.sha256:
        raise Stale(f"{file.label} was changed meanwhile: load the page again")
    return raw


def _pixels(file: FileRef) -> int:
    header = facts(file.path, file.label).header
    return header.width * header.height


def _palette(image: Image.Image) -> Image.Image:
    return image.quantize(128, Image.Quantize.FASTOCTREE)


def _veil(mask: Image.Image) -> bytes:
    """Palette PNG of two entries: the veil, and nothing at all where something changed (and just around it)."""
    quarter = mask.reduce(4)
    around = quarter.resize((quarter.width * 4, quarter.height * 4), Image.Resampling.NEAREST)
    holes = around.crop((0, 0, *mask.size)).point([0] + [1] * 255)
    image = Image.frombytes("P", holes.size, holes.tobytes())
    image.putpalette([*_VEIL, 0, 0, 0])
    out = io.BytesIO()
    image.save(out, "PNG", transparency=bytes([_VEIL_ALPHA, 0]), compress_level=1, bits=1)
    return out.getvalue()


def _heat(strength: Image.Image) -> bytes:
    """Black, then purple, red, orange, near white: readable without colour too, since it grows brighter."""
    stops = ((0, (8, 8, 12)), (24, (60, 15, 90)), (80, (190, 35, 70)), (160, (245, 140, 40)), (255, (255, 250, 215)))
    palette: list[int] = []
    for value in range(256):
        low = max(stop for stop in stops if stop[0] <= value)
        high = min((stop for stop in stops if stop[0] > value), default=low)
        part = (value - low[0]) / (high[0] - low[0]) if high is not low else 0.0
        palette += [round(a + (b - a) * part) for a, b in zip(low[1], high[1], strict=True)]
    image = Image.frombytes("P", strength.size, strength.tobytes())
    image.putpalette(palette)
    return encode_png(image)
