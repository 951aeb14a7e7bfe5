"""What a picture file is, by its content, before a pixel is decoded (render-fidelity contract, The page).

PNG, JPEG and WebP only. Size, wholeness and kind are known from the header and the chunks, so that a decompression bomb
or a torn file costs nothing.
"""

from __future__ import annotations

import io
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image, UnidentifiedImageError

from core.errors import BadInput
from core.files import read_bytes, stamp

Format = Literal["PNG", "JPEG", "WEBP"]
FORMATS: tuple[Format, ...] = ("PNG", "JPEG", "WEBP")
MEDIA: dict[Format, str] = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
MOST_PIXELS = 25_000_000
"""A page larger than this is refused: in 8-bit RGB it would take 75 MB, and a comparison eight times that."""
LONGEST_SIDE = 30_000
MOST_BYTES = 64 * 1024 * 1024
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class Header:
    """A readable picture. ``width`` and ``height`` are what a reader sees, EXIF turned; ``notes`` say what is done.

    ``plain``: a browser shows the file's own bytes just as it is compared here, so they are served untouched.
    """

    format: Format
    width: int
    height: int
    notes: tuple[str, ...]

    @property
    def plain(self) -> bool:
        """True when nothing has to be converted."""
        return not self.notes


def read_picture(path: Path, label: str) -> bytes:
    """The bytes of a picture file, 64 MB at most. Raises BadInput when it is larger or cannot be read."""
    found = stamp(path)
    if found is not None and found.size > MOST_BYTES:
        raise BadInput.of(label, f"larger than {MOST_BYTES // 1024 // 1024} MB")
    return read_bytes(path, label)


def probe_bytes(raw: bytes, label: str) -> Header:
    """The header of a picture held in memory.

    Raises BadInput for an empty file, one that is none of the three formats whatever its name, one that is torn, one
    over the limits of size.
    """
    if not raw:
        raise BadInput.of(label, "empty file")
    with open_image(raw, label) as image:
        width, height = image.size
        if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
            raise BadInput.of(label, f"{width}×{height} px is over the limit of {MOST_PIXELS // 1_000_000} megapixels")
        turned = _orientation(image, _whole(raw, image.format or "", label))
        if turned in (5, 6, 7, 8):
            width, height = height, width
        kind: Format = next(known for known in FORMATS if known == image.format)
        return Header(kind, width, height, tuple(_notes(image, turned)))


def open_image(raw: bytes, label: str) -> Image.Image:
    """The file opened by content, no pixel decoded. Raises BadInput when it is none of the three formats."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit here is lower and checked next
            return Image.open(io.BytesIO(raw), formats=list(FORMATS))
    except UnidentifiedImageError:
        raise BadInput.of(label, f"not a PNG, JPEG or WebP picture (it starts with {raw[:8]!r})") from None
    except Image.DecompressionBombError:
        raise BadInput.of(label, f"over the limit of {MOST_PIXELS // 1_000_000} megapixels") from None
    except (OSError, SyntaxError, ValueError, EOFError, zlib.error) as error:
        raise BadInput.of(label, f"damaged picture: {' '.join(str(error).split())[:120]}") from None


def _notes(image: Image.Image, turned: int) -> list[str]:
    notes = []
    if turned in range(2, 9):
        notes.append("turned as its EXIF says")
    if getattr(image, "n_frames", 1) > 1:
        notes.append("an animation: its first frame is shown")
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        notes.append("transparent: shown and compared on white")
    if image.mode == "CMYK":
        notes.append("CMYK converted to 8-bit RGB")
    if image.mode.startswith(("I", "F")):
        notes.append("16-bit grey scaled to 8 bits")
    return notes


def _orientation(image: Image.Image, png_exif: bytes | None) -> int:
    """How EXIF says the picture lies, 1 to 8. For a PNG from its chunk: Pillow would decode every pixel to find out."""
    exif = Image.Exif()
    if image.format == "PNG":
        if png_exif is None:
            return 1
        try:
            exif.load(b"Exif\x00\x00" + png_exif)
        except (SyntaxError, ValueError, OSError, KeyError):
            return 1
    else:
        exif = image.getexif()
    turned = exif.get(_ORIENTATION, 1)
    return turned if isinstance(turned, int) else 1


def _whole(raw: bytes, kind: str, label: str) -> bytes | None:
    """Refuse a torn file; for a PNG the content of its EXIF chunk comes back, if it has one."""
    if kind == "PNG":
        return _whole_png(raw, label)
    if kind == "JPEG" and b"\xff\xd9" not in raw[-4096:]:
        raise BadInput.of(label, "truncated: the JPEG has no end")
    if kind == "WEBP" and int.from_bytes(raw[4:8], "little") + 8 > len(raw):
        raise BadInput.of(label, "truncated: the WebP ends before its own length")
    return None


def _whole_png(raw: bytes, label: str) -> bytes | None:
    """Walk the chunks: each whole, its checksum right, the end chunk there."""
    at, exif = 8, None
    while at + 8 <= len(raw):
        length, name = int.from_bytes(raw[at : at + 4], "big"), raw[at + 4 : at + 8]
        end = at + 12 + length
        if end > len(raw):
            break
        if zlib.crc32(raw[at + 4 : end - 4]) != int.from_bytes(raw[end - 4 : end], "big"):
            raise BadInput.of(label, f"damaged: checksum of the PNG chunk {name!r}", position=f"byte {at}")
        if name == b"IEND":
            return exif
        if name == b"eXIf":
            exif = raw[at + 8 : end - 4]
        at = end
    raise BadInput.of(label, f"truncated: the PNG ends at byte {len(raw)} inside a chunk", position=f"byte {at}")
