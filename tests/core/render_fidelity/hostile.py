"""Pictures nobody should have to trust, by name: bytes, and what must be said about them (None: it can be shown)."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, data: bytes = b"", depth: int = 8, colour: int = 2) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def saved(image: Image.Image, kind: str, **options) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


RNG = np.random.default_rng(7)
PAGE = Image.fromarray(RNG.integers(0, 255, (90, 160, 3), dtype=np.uint8), "RGB")
WHOLE = saved(PAGE, "PNG")


def pictures() -> dict[str, tuple[bytes, str | None]]:
    turned = Image.Exif()
    turned[0x0112] = 6
    frames = [PAGE, PAGE.rotate(180)]
    return {
        "good": (WHOLE, None),
        "truncated": (WHOLE[: len(WHOLE) // 2], "truncated"),
        "cut in its last chunk": (WHOLE[:-6], "truncated"),
        "flipped bit": (WHOLE[:400] + bytes([WHOLE[400] ^ 1]) + WHOLE[401:], "checksum"),
        "60,000×60,000 header": (png(60_000, 60_000, zlib.compress(b"\0" * 1000)), "over the limit"),
        "bomb within the limit": (png(4900, 4900, zlib.compress(b"\0" * 1000)), "damaged"),
        "long thin": (png(40_000, 10, zlib.compress(b"\0" * 1000)), "over the limit"),
        "JPEG named PNG": (saved(PAGE, "JPEG"), None),
        "truncated JPEG": (saved(PAGE, "JPEG")[:-900], "truncated"),
        "WebP named PNG": (saved(PAGE, "WEBP"), None),
        "truncated WebP": (saved(PAGE, "WEBP", lossless=True)[:-700], "truncated"),
        "CMYK": (saved(PAGE.convert("CMYK"), "JPEG"), None),
        "16-bit": (saved(Image.fromarray(np.full((90, 160), 0x8000, np.uint16)), "PNG"), None),
        "animated": (saved(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100), None),
        "animated WebP": (saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], duration=100), None),
        "turned by EXIF": (saved(PAGE, "JPEG", exif=turned), None),
        "turned PNG": (saved(PAGE, "PNG", exif=turned), None),
        "transparent palette": (saved(PAGE.quantize(16), "PNG", transparency=0), None),
        "empty": (b"", "empty"),
        "HTML": (b"<html>not found</html>" * 40, "not a PNG, JPEG or WebP"),
        "GIF": (saved(PAGE, "GIF"), "not a PNG, JPEG or WebP"),
        "SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', "not a PNG, JPEG or WebP"),
        "only a signature": (b"\x89PNG\r\n\x1a\n", "not a PNG"),
        "text bomb": (
            WHOLE[:33] + chunk(b"zTXt", b"x\0\0" + zlib.compress(b"\0" * 60_000_000)) + WHOLE[33:], "damaged",
        ),
    }  # fmt: skip


if __name__ == "__main__":
    # Run by a test in a process of its own: decode everything, compare what can be, print the peak of memory in kB.
    import resource

    from core.errors import BadInput
    from core.render_fidelity.imaging.compare import compare
    from core.render_fidelity.imaging.decode import decode

    for name, (raw, _) in pictures().items():
        try:
            compare(decode(raw, name), decode(raw, name))
        except BadInput:
            continue
    large = saved(Image.fromarray(RNG.integers(0, 255, (4990, 5000, 3), dtype=np.uint8), "RGB"), "JPEG", quality=30)
    compare(decode(large, "a"), decode(large, "b"))  # 24.95 megapixels, just under the limit, both sides
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
