"""Connected places that changed, in the order in which a person should look at them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from core.render_fidelity.imaging.ssim import TILE

BLOCK = 8
"""Regions are found on a grid of blocks of this many pixels."""
MOST = 60
"""So many regions are listed at most; the rest is in the mask."""
_LIVELY = 6
"""Mean of the mask (0..255) from which a block counts: two pixels of 64, a speck less than that is noise."""


_FAINT = 0.02
"""How much a difference weighs that a small move does explain."""


_AREA = 0.3
"""The power by which the number of blocks weighs."""


@dataclass(frozen=True, slots=True)
class Region:
    """A place that differs: its box in render pixels, share of changed pixels in it, mean strength 0..255, worst SSIM.

    ``weight`` orders the regions and means nothing else. ``what`` is "shift" for the whole page moved, else "change".
    """

    x: int
    y: int
    width: int
    height: int
    changed: float
    strength: float
    ssim: float
    weight: float
    what: str = "change"


def find_regions(
    mask: Image.Image, strength: Image.Image, rest: NDArray[np.uint8], tiles: NDArray[np.float32], size: tuple[int, int]
) -> list[Region]:
    """The connected regions of a mask (0 or 255), heaviest first, the ``MOST`` heaviest.

    ``rest``: at half size, the difference that a small move does not explain; it is what weighs.
    """
    blocks = np.asarray(mask.reduce(BLOCK))
    lively = blocks >= _LIVELY
    joined = ndimage.binary_dilation(lively, structure=np.ones((3, 5), dtype=bool))
    labels, _ = ndimage.label(joined, structure=np.ones((3, 3), dtype=int))
    grids = _Grids(
        blocks, np.asarray(strength.reduce(BLOCK), dtype=np.float32),
        np.asarray(Image.fromarray(rest).reduce(BLOCK // 2), dtype=np.float32), tiles,
    )  # fmt: skip
    found = []
    for number, place in enumerate(ndimage.find_objects(labels), 1):
        inside = (labels[place] == number) & lively[place]
        if inside.any():
            found.append(_region(place, inside, grids, size))
    return sorted(found, key=lambda region: (-region.weight, region.y, region.x))[:MOST]


def whole_page(size: tuple[int, int], strength: Image.Image, tiles: NDArray[np.float32]) -> Region:
    """The region of a page that is moved as a whole: it comes first, for everything else follows from it."""
    power = float(np.asarray(strength.reduce(BLOCK), dtype=np.float32).mean())
    return Region(0, 0, *size, 1.0, round(power, 1), round(float(tiles.min()), 4), 0.0, "shift")


def moved(region: Region, x: int, y: int, size: tuple[int, int]) -> Region:
    """The same region shifted by (x, y) and cut to the page."""
    left, top = min(max(region.x + x, 0), size[0] - 1), min(max(region.y + y, 0), size[1] - 1)
    width, height = min(region.width, size[0] - left), min(region.height, size[1] - top)
    return replace(region, x=left, y=top, width=width, height=height)


@dataclass(frozen=True)
class _Grids:
    """What is known of each block of the page, and the SSIM tiles."""

    changed: NDArray[np.uint8]
    power: NDArray[np.float32]
    rest: NDArray[np.float32]
    tiles: NDArray[np.float32]


def _region(place: tuple[slice, slice], inside: NDArray[np.bool_], grids: _Grids, size: tuple[int, int]) -> Region:
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    top, left = (place[0].start + rows[0]) * BLOCK, (place[1].start + columns[0]) * BLOCK
    bottom = min(size[1], (place[0].start + rows[-1] + 1) * BLOCK)
    right = min(size[0], (place[1].start + columns[-1] + 1) * BLOCK)
    around = grids.tiles[top // TILE : (bottom - 1) // TILE + 1, left // TILE : (right - 1) // TILE + 1]
    power = float(grids.power[place][inside].mean())
    # The strongest block of what is really another thing weighs, and how much of the page is touched hardly at all: a
    # haze of weak change over many lines stays behind one small figure that reads differently.
    spare = float(grids.rest[place][inside].max())
    return Region(
        int(left), int(top), int(right - left), int(bottom - top),
        round(float(grids.changed[place][inside].mean()) / 255, 4), round(power, 1),
        round(float(around.min()) if around.size else 1.0, 4),
        round((spare + _FAINT * power) * float(inside.sum()) ** _AREA, 3),
    )  # fmt: skip
