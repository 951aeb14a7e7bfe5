"""Pixels, safely: 8-bit RGB of any picture that `header` lets through (render-fidelity contract, The page)."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from core.errors import BadInput
from core.render_fidelity.imaging.header import Header, open_image, probe_bytes, read_picture


@dataclass(frozen=True)
class Picture:
    """An 8-bit RGB image with its header; ``header.notes`` say what was done to get there."""

    image: Image.Image
    header: Header

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.image.size


def decode_file(path: Path, label: str) -> Picture:
    """Decode a picture file. Raises BadInput as `decode` does."""
    return decode(read_picture(path, label), label)


def decode(raw: bytes, label: str) -> Picture:
    """Decode a picture: EXIF turned, transparency on white, CMYK and 16 bits brought to 8-bit RGB, the first frame.

    Raises BadInput, with the reason, for everything `probe_bytes` refuses and for data that does not decode.
    """
    header = probe_bytes(raw, label)
    try:
        with open_image(raw, label) as image:
            image.load()
            turned = ImageOps.exif_transpose(image)
            return Picture(_rgb(turned), header)
    except (OSError, SyntaxError, ValueError, EOFError, zlib.error, MemoryError) as error:
        raise BadInput.of(label, f"damaged picture: {' '.join(str(error).split())[:120]}") from None


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode.startswith(("I", "F")):
        return _eight_bits(image).convert("RGB")
    if "transparency" in image.info or image.mode in ("LA", "PA", "La", "RGBa"):
        image = image.convert("RGBA")
    if image.mode == "RGBA":
        paper = Image.new("RGB", image.size, "white")
        paper.paste(image, mask=image.getchannel("A"))
        return paper
    return image if image.mode == "RGB" else image.convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    """16-bit grey scaled: 0x8000 is middle grey, where Pillow's own conversion clips it to white."""
    values = np.asarray(image, dtype=np.float64)
    return Image.fromarray(np.clip(np.rint(values * 255 / 65535), 0, 255).astype(np.uint8), "L")


def thumbnail(image: Image.Image, width: int) -> Image.Image:
    """A small picture of that width, the ratio kept; long pages are cut at twice the width, as a sheet shows them."""
    height = max(1, round(image.height * width / image.width))
    small = image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    return small.crop((0, 0, width, min(height, 2 * width)))


def encode_png(image: Image.Image, level: int = 1) -> bytes:
    """The picture as PNG; level 1 is three times as fast as the default and a little larger."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=level)
    return out.getvalue()
