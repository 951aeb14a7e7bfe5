"""Two pages compared, to show a person where to look (render-fidelity contract, The page: Metrics).

No verdict reads any of these numbers: a harmless blur looks worse than a wrong figure on every average, and only the
worst places tell. So regions are ranked and the worst tiles named; nothing is summed into a score.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops

from core.render_fidelity.imaging.decode import Picture
from core.render_fidelity.imaging.regions import Region, find_regions, moved, whole_page
from core.render_fidelity.imaging.shift import Shift, find_shift, refine
from core.render_fidelity.imaging.ssim import TILE, ssim_map, tile_map
from core.render_fidelity.imaging.tolerant import unexplained

THRESHOLD = 24
"""A channel must differ by this much (of 255) for a pixel to count: below it lies what scaling and blur do."""
VERSION = "2"
"""Part of the cache key: raise it when the meaning of a number below changes."""


@dataclass(frozen=True)
class Comparison:
    """What differs between two pages, in the render's pixels.

    ``regions`` come in the order in which they should be looked at. ``worst_tiles``: [x, y, SSIM] of 64 px tiles, worst
    first. ``busy``: [column, row] of the tiles of the render that are not blank. ``changed``: share of pixels, 0..1.
    ``shift``: how the whole render seems moved, None when it does not. ``notes`` say what had to be done to compare.
    """

    original_size: tuple[int, int]
    render_size: tuple[int, int]
    changed: float
    ssim: float
    worst_tiles: tuple[tuple[int, int, float], ...]
    regions: tuple[Region, ...]
    shift: Shift | None
    busy: tuple[tuple[int, int], ...]
    colours: tuple[tuple[str, ...], tuple[str, ...]]
    edges: tuple[float, float]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON form, as cached and as sent to the viewer."""
        return asdict(self)


@dataclass(frozen=True)
class Differences:
    """A comparison with its two pictures: the mask of what changed and the strength of the change, both 8-bit grey."""

    comparison: Comparison
    mask: Image.Image
    strength: Image.Image


def compare(original: Picture, render: Picture) -> Differences:
    """Compare two decoded pages; the original is brought to the render's scale where sizes differ, and that is said."""
    ours, notes = common_scale(original.image, render.image)
    notes += [f"original: {note}" for note in original.header.notes]
    notes += [f"render: {note}" for note in render.header.notes]
    strength, mask = difference(ours, render.image)
    grey_original, grey_render = half_grey(ours), half_grey(render.image)
    similar = ssim_map(grey_original, grey_render)
    tiles = tile_map(similar)
    regions = find_regions(mask, strength, unexplained(ours, render.image), tiles, render.size)
    shift = find_shift(grey_original, grey_render)
    if shift:
        shift, beneath = _shifted(ours, render.image, shift)
        regions = [whole_page(render.size, strength, tiles), *beneath]
    comparison = Comparison(
        original.size, render.size, mask.histogram()[255] / (render.size[0] * render.size[1]), float(similar.mean()),
        _worst(tiles), tuple(regions), shift, busy_tiles(grey_render), (dominant(ours), dominant(render.image)),
        (edge_density(grey_original), edge_density(grey_render)), tuple(notes),
    )  # fmt: skip
    return Differences(comparison, mask, strength)


def difference(one: Image.Image, other: Image.Image) -> tuple[Image.Image, Image.Image]:
    """How strongly two pictures of one size differ (grey, 0..255), and the mask of what counts (0 or 255)."""
    strength = strongest_channel(ImageChops.difference(one, other))
    return strength, strength.point([0] * THRESHOLD + [255] * (256 - THRESHOLD))


def _shifted(original: Image.Image, render: Image.Image, coarse: Shift) -> tuple[Shift, list[Region]]:
    """The move to the pixel, and what else changed once the render is moved back, in the render's own pixels."""
    shift = refine(np.asarray(original.convert("L")), np.asarray(render.convert("L")), coarse)
    back = ImageChops.offset(render, -shift.x, -shift.y)
    # What the move pushed off one side comes in at the other: there is nothing to compare along that edge.
    frame = (max(0, -shift.x), max(0, -shift.y), render.width - max(0, shift.x), render.height - max(0, shift.y))
    visible = original.copy()
    visible.paste(back.crop(frame), frame[:2])
    strength, mask = difference(original, visible)
    tiles = tile_map(ssim_map(half_grey(original), half_grey(visible)))
    found = find_regions(mask, strength, unexplained(original, visible), tiles, render.size)
    return shift, [moved(region, shift.x, shift.y, render.size) for region in found]


def common_scale(original: Image.Image, render: Image.Image) -> tuple[Image.Image, list[str]]:
    """The original on a canvas of the render's size: scaled to its width, then cut or padded with white below."""
    if original.size == render.size:
        return original, []
    height = max(1, round(original.height * render.width / original.width))
    sizes = f"original {original.width}×{original.height}, render {render.width}×{render.height}"
    scaled = original.resize((render.width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
    if abs(height - render.height) <= 1:
        scaled = original.resize(render.size, Image.Resampling.LANCZOS, reducing_gap=3.0)
        return scaled, [f"{sizes}: compared at the render's scale"]
    canvas = Image.new("RGB", render.size, "white")
    canvas.paste(scaled, (0, 0))
    return canvas, [f"{sizes}: compared at the render's width, {'cut' if height > render.height else 'padded'} below"]


def strongest_channel(difference: Image.Image) -> Image.Image:
    """The largest of the three channel differences, as grey."""
    red, green, blue = difference.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)


def half_grey(image: Image.Image) -> NDArray[np.float32]:
    """Grey at half size, 0..255: SSIM and shift are measured there."""
    return np.asarray(image.convert("L").reduce(2), dtype=np.float32)


def _worst(tiles: NDArray[np.float32]) -> tuple[tuple[int, int, float], ...]:
    order = np.argsort(tiles, axis=None)[:5]
    rows, columns = np.unravel_index(order, tiles.shape)
    places = zip(columns.tolist(), rows.tolist(), strict=True)
    return tuple((x * TILE, y * TILE, round(float(tiles[y, x]), 4)) for x, y in places)


def busy_tiles(grey: NDArray[np.float32]) -> tuple[tuple[int, int], ...]:
    """The (column, row) of every 64 px tile on which anything stands: its grey varies."""
    spread = tile_map(grey * grey) - tile_map(grey) ** 2
    rows, columns = np.nonzero(spread > 16)
    return tuple(zip(columns.tolist(), rows.tolist(), strict=True))


def dominant(image: Image.Image, count: int = 4) -> tuple[str, ...]:
    """The most frequent colours, ``#rrggbb``, most frequent first, from a small copy in eight steps a channel."""
    small = np.asarray(image.resize((160, 90), Image.Resampling.BOX, reducing_gap=2.0), dtype=np.int32) // 32
    keys, counts = np.unique(small[..., 0] * 64 + small[..., 1] * 8 + small[..., 2], return_counts=True)
    best = keys[np.argsort(-counts, kind="stable")[:count]]
    return tuple(f"#{(key // 64) * 32 + 16:02x}{(key // 8 % 8) * 32 + 16:02x}{(key % 8) * 32 + 16:02x}" for key in best)


def edge_density(grey: NDArray[np.float32]) -> float:
    """The share of half-size pixels on an edge, 0..1."""
    steps = np.abs(np.diff(grey[:, ::2], axis=0)) > 32
    return round(float(steps.mean()), 5)
