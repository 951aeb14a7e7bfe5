"""Whether the whole render lies a few pixels off: phase correlation at half size. Offered, never applied by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.fft
from numpy.typing import NDArray

MOST = 128
"""Page pixels; a larger move is another layout and not a shift."""
_NOTHING = 0.05
"""Mean difference (of 255) under which there is nothing to explain."""
_CLEAR = 0.6
"""The moved page must leave at most this share of the difference for the move to be believed."""

Grey = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shift:
    """The render is moved by ``x``, ``y`` page pixels (right and down); ``left``: the share of the difference that
    remains once it is moved back.
    """

    x: int
    y: int
    left: float


def find_shift(original: Grey, render: Grey) -> Shift | None:
    """The move that explains most of the difference, in the pixels given; None when none does.

    Both are grey, 0..255, of one shape.
    """
    before = _difference(original, render, 0, 0)
    if before < _NOTHING:
        return None
    one = scipy.fft.rfft2(original - original.mean())
    other = scipy.fft.rfft2(render - render.mean())
    cross = other * np.conj(one)
    peak = scipy.fft.irfft2(cross / np.maximum(np.abs(cross), 1e-3), s=original.shape)
    row, column = np.unravel_index(int(np.argmax(peak)), peak.shape)
    y, x = _signed(int(row), original.shape[0]), _signed(int(column), original.shape[1])
    if max(abs(x), abs(y)) * 2 > MOST:
        return None
    left = _difference(original, render, x, y) / before
    return Shift(x, y, round(left, 3)) if (x, y) != (0, 0) and left <= _CLEAR else None


def refine(original: NDArray[np.uint8], render: NDArray[np.uint8], coarse: Shift) -> Shift:
    """A move found at half size, to the pixel: the best of the nine around it, on every fourth row."""
    one, other = original.astype(np.int16), render.astype(np.int16)
    before = _rows(one, other, 0, 0)
    places = [(2 * coarse.x + dx, 2 * coarse.y + dy) for dy in (0, -1, 1) for dx in (0, -1, 1)]
    left, (x, y) = min((_rows(one, other, x, y), (x, y)) for x, y in places)
    return Shift(x, y, round(left / before, 3) if before else 0.0)


def _rows(original: NDArray[np.int16], render: NDArray[np.int16], x: int, y: int) -> float:
    height, width = original.shape
    ours = original[max(0, -y) : height - max(0, y) : 4, max(0, -x) : width - max(0, x)]
    theirs = render[max(0, y) : height - max(0, -y) : 4, max(0, x) : width - max(0, -x)]
    return float(np.abs(ours - theirs).mean())


def _signed(index: int, length: int) -> int:
    return index - length if index > length // 2 else index


def _difference(original: Grey, render: Grey, x: int, y: int) -> float:
    """Mean absolute difference where both overlap once the render is moved back by (x, y)."""
    height, width = original.shape
    ours = original[max(0, -y) : height - max(0, y), max(0, -x) : width - max(0, x)]
    theirs = render[max(0, y) : height - max(0, -y), max(0, x) : width - max(0, -x)]
    return float(np.abs(ours - theirs).mean())
