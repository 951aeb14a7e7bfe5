"""The committed viewer bundle is the one that its sources make, and carries its licence."""

import hashlib
from pathlib import Path

VIEWER = Path(__file__).parents[2] / "pages" / "render_fidelity" / "viewer"


def test_the_bundle_was_built_from_these_sources():
    sources = [*sorted((VIEWER / "src").glob("*.js")), VIEWER / "package-lock.json"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    head = (VIEWER / "viewer.bundle.js").read_text("utf-8")[:400]
    assert f"from sources {digest}." in head, "run pages/render_fidelity/viewer/build"


def test_the_licence_of_openseadragon_lies_beside_it():
    licence = (VIEWER / "LICENSE-openseadragon.txt").read_text("utf-8")
    assert "Redistribution and use in source and binary forms" in licence


def test_the_bundle_asks_nobody_outside():
    text = (VIEWER / "viewer.bundle.js").read_text("utf-8")
    for word in ("cdn.", "unpkg", "jsdelivr", "googleapis"):
        assert word not in text
