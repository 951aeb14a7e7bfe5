"""The changes of a whole pack, page by page in the order to look at them. An aid to looking: no verdict reads it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import TouchstoneError
from core.render_fidelity.batch import Batch
from core.render_fidelity.imaging.facts import facts
from core.render_fidelity.imaging.pictures import FileRef, Pictures
from core.render_fidelity.imaging.recurring import PageRegions, order
from core.render_fidelity.imaging.regions import Region
from core.render_fidelity.imaging.ssim import TILE
from core.render_fidelity.mapping import MirrorPlan
from core.render_fidelity.pack import Pack, PackPage
from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Pair:
    """A pack page and one of its source pages. Either file is None where it is missing or cannot be read."""

    page: int
    source: int
    original: FileRef | None
    render: FileRef | None


def pictures_of(workspace: Workspace, *, keep: bool = True) -> Pictures:
    """The workspace's derived pictures; with ``keep`` false nothing is written."""
    return Pictures(workspace.state_dir() / "cache" / "pictures" if keep else None)


def render_ref(page: PackPage, label: str) -> FileRef | None:
    """The render of a page as a file with its hash, None unless it can be shown."""
    if page.path is None or page.sha256 is None or page.header is None:
        return None
    return FileRef(page.path, f"{label}/{page.file}", page.sha256)


def source_ref(batch: Batch, number: int) -> FileRef | None:
    """An original page as a file with its hash, None where there is no picture of it or it cannot be read."""
    found = read_source(batch, number)
    return found if isinstance(found, FileRef) else None


def read_source(batch: Batch, number: int) -> FileRef | str:
    """An original page as a file with its hash, or why it cannot be shown."""
    source = batch.source(number)
    if source is None:
        return f"no picture of original page {number}"
    try:
        return FileRef(source.path, source.file, facts(source.path, source.file).sha256)
    except TouchstoneError as error:
        return str(error)


def pairs(pack: Pack, batch: Batch, plan: MirrorPlan | None) -> Iterator[Pair]:
    """Every pack page beside each of its source pages, in the plan's order; without a plan page n mirrors page n."""
    for page in pack.declared:
        sources = plan.sources_of(page.number) if plan else (page.number,)
        for source in sources:
            yield Pair(page.number, source, source_ref(batch, source), render_ref(page, pack.label))


def page_regions(comparison: dict[str, Any]) -> PageRegions:
    """What `recurring.order` needs of a comparison in JSON form."""
    regions = [Region(**region) for region in comparison["regions"]]
    return PageRegions(regions, frozenset((x, y) for x, y in comparison["busy"]), TILE)


def pack_changes(found: list[Pair], pictures: Pictures) -> dict[str, Any]:
    """``{"pages": {page: {source: [change…]}}, "problems": […]}`` over the first source of each page and its others.

    The first source page of each pack page takes part in what the pack has in common; a pair that cannot be compared is
    a problem with its reason.
    """
    usable = [pair for pair in found if pair.original and pair.render]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda pair: _comparison(pair, pictures), usable))
    problems = [str(result) for result in results if isinstance(result, TouchstoneError)]
    compared = zip(usable, results, strict=True)
    read = [(pair, page_regions(result)) for pair, result in compared if isinstance(result, dict)]
    first: dict[int, tuple[int, PageRegions]] = {}
    for pair, regions in read:
        first.setdefault(pair.page, (pair.source, regions))
    ordered = order({page: regions for page, (_, regions) in first.items()})
    pages: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for pair, regions in read:
        if first[pair.page][0] == pair.source:
            rows = [asdict(change.region) | {"also": list(change.also)} for change in ordered[pair.page]]
        else:
            rows = [asdict(region) | {"also": []} for region in regions.regions]
        pages.setdefault(str(pair.page), {})[str(pair.source)] = rows
    return {"pages": pages, "problems": problems}


def _comparison(pair: Pair, pictures: Pictures) -> dict[str, Any] | TouchstoneError:
    if pair.original is None or pair.render is None:
        raise ValueError("a pair without its two files")
    try:
        return pictures.comparison(pair.original, pair.render)
    except TouchstoneError as error:
        return error


def changes_key(found: list[Pair]) -> str:
    """One hash over all files of the pairs: another file, another key."""
    parts = [
        f"{pair.page}:{pair.source}:{pair.original and pair.original.sha256}:{pair.render and pair.render.sha256}"
        for pair in found
    ]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()
