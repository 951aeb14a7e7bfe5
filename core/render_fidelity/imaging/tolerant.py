"""Differences that a small move does not explain.

Another engine sets the same words a pixel or two apart, and every glyph's edge then differs strongly while nothing has
changed. A pixel counts here only as far as it lies outside everything that the other page shows within `REACH` of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

REACH = 2
"""Page pixels to each side: one at half size, where it is measured. More would explain a 6 that became an 8."""

Channels = NDArray[np.uint8]


def unexplained(original: Image.Image, render: Image.Image) -> NDArray[np.uint8]:
    """At half size, how far (0..255, strongest channel) each place lies outside what the other page shows around it.

    Both ways: what the render adds, and what it leaves out.
    """
    one, other = _half(original), _half(render)
    added, missing = _outside(other, one), _outside(one, other)
    strongest: NDArray[np.uint8] = np.maximum(added, missing).max(axis=2)
    return strongest


def _half(image: Image.Image) -> Channels:
    return np.asarray(image.reduce(2))


def _outside(values: Channels, around: Channels) -> Channels:
    """How far ``values`` lie above the largest or below the smallest value of ``around`` nearby."""
    high, low = _spread(around, np.maximum), _spread(around, np.minimum)
    above = np.maximum(values, high) - high
    below = low - np.minimum(values, low)
    result: Channels = np.maximum(above, below)
    return result


def _spread(values: Channels, pick: np.ufunc) -> Channels:
    """The largest or smallest value of each place and its eight neighbours at half size, edges repeated."""
    for axis in (0, 1):
        pad = [(1, 1) if side == axis else (0, 0) for side in range(3)]
        wide = np.moveaxis(np.pad(values, pad, mode="edge"), axis, 0)
        values = np.moveaxis(pick(pick(wide[:-2], wide[1:-1]), wide[2:]), 0, axis)
    return values
