"""The contact sheet of a pack: its original pages and its render, unreadable ones with their reason."""

from __future__ import annotations

from PIL import Image

from core.render_fidelity.changes import render_ref, source_ref
from core.render_fidelity.imaging.pictures import Pictures
from core.render_fidelity.imaging.sheet import Cell, contact_sheet
from core.render_fidelity.standing import Standing


def sheet_of(standing: Standing, pictures: Pictures) -> Image.Image:
    """Two sections: the original's pages by number, the render's with their ids."""
    pack = standing.pack
    originals = [
        Cell(f"{page.number}", source_ref(standing.batch, page.number), "cannot be read")
        for page in standing.batch.sources
    ]
    renders = [
        Cell(f"{page.number} {page.id}", render_ref(page, pack.label), page.reason or page.state) for page in pack.pages
    ]
    return contact_sheet([(f"{pack.slug}: original", originals), (f"{pack.slug}: render", renders)], pictures)
