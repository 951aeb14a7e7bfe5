"""The demo's design packs: originals and renders drawn from authored words, with differences planted in the renders."""

from __future__ import annotations

import hashlib
import json
import shutil
from io import BytesIO
from pathlib import Path
from typing import Any

from authored.render_fidelity import drawing
from authored.render_fidelity.packs import PACKS

BATCH = "2026-11-redesign"
AXES = ("F1", "F2", "F3", "F4", "F5", "F6", "F7")


def build(root: Path) -> None:
    """Write ``design-packs/`` and ``_workspace/`` under ``root``; the same bytes every time."""
    for folder in (root / "design-packs", root / "_workspace" / BATCH):
        if folder.exists():
            shutil.rmtree(folder)
    for pack in PACKS:
        _pack(root, pack)


def _write(path: Path, content: bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _png(page: dict[str, Any], pack: dict[str, Any], number: int, count: int, *, render: bool) -> bytes:
    folio = {
        "folio": f"{number} / {count}",
        "foot": page.get("foot") or f"{pack['theme'].name if not render else 'Company'}",
    }
    out = BytesIO()
    drawing.draw(page | folio, pack["theme"], render=render).save(out, "PNG", optimize=True)
    return out.getvalue()


def _pack(root: Path, pack: dict[str, Any]) -> None:
    batch, folder = root / "_workspace" / BATCH, root / "design-packs" / pack["slug"]
    digest = hashlib.sha256()
    for number, page in enumerate(pack["original"], 1):
        raw = _png(page, pack, number, len(pack["original"]), render=False)
        digest.update(raw)
        _write(batch / "pages_src" / pack["code"] / f"{number:02d}.png", raw)
    hashes, files = {}, []
    for number, page in enumerate(pack["render"], 1):
        file = f"pages/{number:02d}-{page['id']}.png"
        hashes[str(number)] = _write(folder / file, _png(page, pack, number, len(pack["render"]), render=True))
        files.append({"id": page["id"], "file": file, "px": [drawing.WIDTH, drawing.HEIGHT]})
    original = digest.hexdigest()
    _declare(folder, pack, original, files)
    _write(batch / "visual_spec" / f"{pack['code']}.json", _json(_spec(pack, original)))
    _write(batch / "transform_contract" / f"{pack['code']}.json", _json(_contract(pack, original)))
    if pack["verdict"]:
        _write(batch / "fidelity_qa" / f"{pack['slug']}.json", _json(_verdict(pack, original, hashes)))


def _declare(folder: Path, pack: dict[str, Any], original: str, files: list[dict[str, Any]]) -> None:
    theme = pack["theme"]
    tokens = {
        "slug": pack["slug"],
        "spec_version": pack["version"],
        "color": {
            "paper": theme.paper,
            "ink": theme.ink,
            "soft": theme.soft,
            "accent": theme.accent,
            "second": theme.second,
        },
        "type": {"title": 76, "figure": 112, "body": 38, "note": 31},
        "space": {"margin": 150, "gutter": 48},
    }
    prompt = (
        f"# {theme.name}\n\nspec_version: {pack['version']}\n\n- canvas 2560 by 1440, margin 150\n"
        f"- one accent a page: {theme.accent}\n"
        f"- cards {theme.card}, figures 112 bold\n- the owner's mark is replaced by a neutral square\n"
    )
    sources = {
        "prompt.md": _write(folder / "prompt.md", prompt.encode()),
        "tokens.json": _write(folder / "tokens.json", _json(tokens)),
    }
    _write(folder / "meta.yaml", _meta(pack, original).encode())
    manifest = {
        "slug": pack["slug"],
        "spec_version": pack.get("manifest_version", pack["version"]),
        "rendered_at": pack["rendered"],
        "source_hash": {name: f"sha256:{value}" for name, value in sources.items()},
        "canvas": {"declared": "16:9", "actual_px": [drawing.WIDTH, drawing.HEIGHT], "ratio": "1.7778"},
        "pages": files,
    }
    _write(folder / "render-manifest.json", _json(manifest))


def _meta(pack: dict[str, Any], original: str) -> str:
    """``meta.yaml`` as its author would lay it out; every scalar that YAML could take for something else is quoted."""
    lines = [
        f"slug: {pack['slug']}",
        f"track: {pack['slug'].split('-')[0]}",
        f'spec_version: "{pack["version"]}"',
        f"reference_mode: {pack['mode']}",
        f"source_depth: {pack['depth']}",
        "author: claude",
        "reference:",
        f"  canonical_url: https://example.com/{pack['code']}.pdf",
        f'  retrieved_at: "{pack["retrieved"]}"',
        f'  sha256: "{original}"',
        "  media_type: application/pdf",
        f"  page_count: {len(pack['original'])}",
        '  aspect_ratio: "16:9"',
        "page_mirror_plan:",
        f"  original_pages: {len(pack['original'])}",
        f"  pack_pages: {len(pack['render'])}",
        f"  compression: {pack['compression']}",
        "  map:",
    ]
    for number, (sources, page) in enumerate(zip(pack["map"], pack["render"], strict=True), 1):
        lines.append(
            f"    - {{ pack_page: {number}, source_pages: [{', '.join(map(str, sources))}], kind: {page['id']} }}"
        )
    if pack["not_selected"]:
        lines.append("  not_selected:")
        lines += [f'    - {{ source_page: {page}, reason: "{reason}" }}' for page, reason in pack["not_selected"]]
    if pack["motifs"]:
        lines.append("signature_motifs:")
        for rank, (name, pages, where) in enumerate(pack["motifs"], 1):
            lines.append(
                f'  - {{ rank: {rank}, name: "{name}", evidence_pages: [{", ".join(map(str, pages))}], '
                f'where: "{where}", must_preserve: true }}'
            )
    lines += [
        "pages:",
        *(f'  - {{ id: {page["id"]}, label: "{page["title"] or page["id"]}" }}' for page in pack["render"]),
        "qa:",
    ]
    lines += [f"  {gate}: {{ verdict: {word} }}" for gate, word in pack["qa"].items()]
    return "\n".join(lines) + "\n"


def _spec(pack: dict[str, Any], original: str) -> dict[str, Any]:
    inventory = [
        {"page": number, "role": page["kind"], "observed": [page["title"] or page["id"], page["kind"]]}
        for number, page in enumerate(pack["original"], 1)
    ]
    motifs = [{"name": name, "evidence_pages": pages, "where": where} for name, pages, where in pack["motifs"]]
    return {
        "reference": {"sha256": f"sha256:{original}", "page_count": len(pack["original"])},
        "page_inventory": inventory,
        "signature_motifs": motifs,
        "pages_unreadable": [],
    }


def _contract(pack: dict[str, Any], original: str) -> dict[str, Any]:
    elements = [
        {
            "source_page": page,
            "element_id": name.replace(" ", "-"),
            "class": kind,
            "action": action,
            "preserve": ["place", "size"] if action == "preserve" else ["place"],
            "prohibit": [] if action == "preserve" else ["the original drawing"],
        }
        for page, name, kind, action in pack["elements"]
    ]
    return {"reference_sha256": f"sha256:{original}", "elements": elements}


def _verdict(pack: dict[str, Any], original: str, hashes: dict[str, str]) -> dict[str, Any]:
    said = pack["verdict"]
    axes = {axis: score for axis, score in zip(AXES, said["axes"], strict=True) if score is not None}
    second = {axis: score for axis, score in zip(AXES, said["cross"]["axes"], strict=True) if score is not None}
    total, other = sum(axes.values()), sum(second.values())
    return {
        "slug": pack["slug"],
        "reference_mode": pack["mode"],
        "source_sha256": original,
        "pages_reviewed": [int(page) for page in hashes],
        "pages_not_reviewed": [],
        "axes": axes,
        "total": total,
        "verdict": "needs_human",
        "hallucinated_elements": said["hallucinated"],
        "missing_signatures": [],
        "cross_check": {
            "verifier": said["cross"]["verifier"],
            "axes": second,
            "total": other,
            "delta": abs(total - other),
        },
        "repair_requests": said["repairs"],
        "reviewer": said["reviewer"],
        "scored_at": said["scored"],
        "render_hashes": hashes,
    }
