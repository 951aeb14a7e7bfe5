"""A small good pack in a workspace of its own, to be spoiled one thing at a time."""

import hashlib
import json
from pathlib import Path

from PIL import Image, ImageDraw

ORIGINAL = "ab" * 32
IDS = ("cover", "kpi", "chart")
WHEN = {"retrieved": "2026-10-01T09:00:00Z", "rendered": "2026-10-02T09:00:00Z", "scored": "2026-10-03T09:00:00Z"}


def picture(number: int, words: str = "42.7%", size: tuple[int, int] = (640, 360)) -> Image.Image:
    image = Image.new("RGB", size, "#101418")
    pen = ImageDraw.Draw(image)
    pen.rectangle((40, 40, 48, 90), fill="#f2a900")
    pen.text((60, 48), f"Page {number}", fill="white", font_size=30)
    pen.text((120, 180), words, fill="white", font_size=40)
    return image


def write(path: Path, content: bytes | str | dict) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = json.dumps(content).encode() if isinstance(content, dict) else content
    raw = raw.encode() if isinstance(raw, str) else raw
    path.write_bytes(raw)
    return hashlib.sha256(raw).hexdigest()


def save(path: Path, image: Image.Image, **options) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, **options)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def meta(slug: str, mode: str = "exact_document", extra: str = "") -> str:
    rows = "\n".join(f"    - {{ pack_page: {n}, source_pages: [{n}] }}" for n in range(1, len(IDS) + 1))
    pages = "\n".join(f"  - {{ id: {name}, label: {name} }}" for name in IDS)
    return f"""slug: {slug}
track: ppt
spec_version: "v1"
reference_mode: {mode}
source_depth: partial
reference:
  retrieved_at: "{WHEN["retrieved"]}"
  sha256: "{ORIGINAL}"
  page_count: {len(IDS)}
page_mirror_plan:
  original_pages: {len(IDS)}
  pack_pages: {len(IDS)}
  compression: identity
  map:
{rows}
signature_motifs:
  - {{ rank: 1, name: accent bar, evidence_pages: [1], where: left, must_preserve: true }}
pages:
{pages}
qa:
  diversity: {{ verdict: pass }}
  fidelity: {{ verdict: pass }}
{extra}"""


def build(root: Path, slug: str = "ppt-good", mode: str = "exact_document", batch: str = "b1") -> Path:
    """A pack of three pages with everything in order; its folder."""
    folder, work = root / "design-packs" / slug, root / "_workspace" / batch
    sources = {
        "prompt.md": write(folder / "prompt.md", "# Pack\n\nspec_version: v1\n\nTHE AUTHOR'S SECRET REASONING\n"),
        "tokens.json": write(folder / "tokens.json", {"slug": slug, "spec_version": "v1"}),
    }
    write(folder / "meta.yaml", meta(slug, mode))
    for number, name in enumerate(IDS, 1):
        save(folder / "pages" / f"{number:02d}-{name}.png", picture(number))
        save(work / "pages_src" / slug / f"{number:02d}.png", picture(number))
    write(
        folder / "render-manifest.json",
        {
            "spec_version": "v1",
            "rendered_at": WHEN["rendered"],
            "source_hash": {name: f"sha256:{digest.upper()}" for name, digest in sources.items()},
            "canvas": {"declared": "16:9", "actual_px": [640, 360], "ratio": "1.7778"},
            "pages": [
                {"id": name, "file": f"pages/{number:02d}-{name}.png", "px": [640, 360]}
                for number, name in enumerate(IDS, 1)
            ],
        },
    )
    write(
        work / "transform_contract" / f"{slug}.json",
        {
            "reference_sha256": f"sha256:{ORIGINAL}",
            "elements": [
                {"source_page": 1, "element_id": "logo", "class": "trademark logo", "action": "substitute"},
                {"source_page": 3, "element_id": "bars", "class": "chart", "action": "preserve"},
            ],
        },
    )
    return folder


def hashes(folder: Path) -> dict[str, str]:
    files = sorted((folder / "pages").iterdir())
    return {str(n): hashlib.sha256(path.read_bytes()).hexdigest() for n, path in enumerate(files, 1)}


def verdict_file(folder: Path, axes: list[int], *, batch: str = "b1", **more) -> Path:
    """A verdict file of that pack, everything reviewed, tied to its render."""
    names = ("F1", "F2", "F3", "F4", "F5", "F6", "F7")
    scored = dict(zip(names, axes, strict=True))
    path = folder.parent.parent / "_workspace" / batch / "fidelity_qa" / f"{folder.name}.json"
    content = {
        "slug": folder.name, "reference_mode": "exact_document", "source_sha256": ORIGINAL,
        "pages_reviewed": [1, 2, 3], "pages_not_reviewed": [], "axes": scored, "total": sum(axes), "verdict": "pass",
        "hallucinated_elements": [], "missing_signatures": [], "cross_check": {"status": "not_run", "reason": "policy"},
        "repair_requests": [], "scored_at": WHEN["scored"], "render_hashes": hashes(folder), "reviewer": "Mina",
    }  # fmt: skip
    write(path, content | more)
    return path
