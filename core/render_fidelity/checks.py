"""The deterministic checks: first, free, and decisive (render-fidelity contract, "Deterministic checks come first").

Each holds, fails, or is unknown; an unknown is never a pass. When one fails no scoring starts and no judge is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from core.render_fidelity import check_canvas, check_times
from core.render_fidelity.batch import Batch, bare_hash, plan_of
from core.render_fidelity.check_claims import mirror, protected, signatures, synthesis
from core.render_fidelity.deliverable import slug_ok
from core.render_fidelity.mapping import page_count
from core.render_fidelity.outcome import Found, failed, held, unknown
from core.render_fidelity.pack import SOURCES, Pack, SourceFile


@dataclass(frozen=True, slots=True)
class Check:
    """One check by name. ``about`` is "verdict" where it is not the pack that is wrong but scores older than it."""

    name: str
    outcome: Literal["pass", "fail", "unknown"]
    detail: str
    about: Literal["pack", "verdict"] = "pack"

    def as_dict(self) -> dict[str, str]:
        """The contract's row of ``checks``."""
        return {"name": self.name, "outcome": self.outcome, "detail": self.detail}


def run_checks(pack: Pack, batch: Batch, now: datetime, scored_at: str | None = None) -> list[Check]:
    """Every check over a pack and its batch. ``now`` only tells times that lie in the future; ``scored_at`` is the
    scoring time of the verdict at hand, None where there is none.
    """
    rules: list[tuple[str, Callable[[], Found | None]]] = [
        ("reference", lambda: _reference(pack, batch)),
        ("spec_version", lambda: _versions(pack)),
        ("manifest_spec_version", lambda: _manifest_version(pack)),
        ("source_hashes", lambda: _source_hashes(pack)),
        ("pages", lambda: _pages(pack, batch)),
        ("page_files", lambda: _page_files(pack)),
        ("canvas_ratio", lambda: check_canvas.ratio(pack)),
        ("page_size", lambda: check_canvas.one_size(pack)),
        ("declared_px", lambda: check_canvas.declared_px(pack)),
        ("signatures", lambda: signatures(pack, batch)),
        ("protected_assets", lambda: protected(batch)),
        ("mirror_claim", lambda: mirror(pack, batch)),
        ("synthesis_depth", lambda: synthesis(pack)),
        ("retrieved_before_rendered", lambda: check_times.retrieved_before_rendered(pack, now)),
    ]
    made = [Check(name, found.outcome, found.detail) for name, rule in rules if (found := rule()) is not None]
    order = check_times.rendered_before_scored(pack, scored_at, now)
    return made + ([Check("rendered_before_scored", order.outcome, order.detail, "verdict")] if order else [])


def _reference(pack: Pack, batch: Batch) -> Found:
    missing = []
    original = pack.reference.get("sha256")
    if pack.mode is None:
        given = pack.meta.get("reference_mode")
        missing.append(f"reference_mode ({str(given)[:40]!r} is none)" if given else "reference_mode")
    if bare_hash(original) is None:
        missing.append("the original's sha256" + (" (not 64 hex digits)" if original else ""))
    plan = plan_of(pack, batch)
    planned = plan.original_pages if plan else None
    stated = page_count(pack.reference.get("page_count"))
    if stated is None and planned is None:
        missing.append("the original's page count")
    if missing:
        return failed("missing: " + ", ".join(missing))
    if stated is not None and planned is not None and stated != planned:
        return failed(f"page_count is {stated}, the mirror plan counts {planned} original pages")
    contract = bare_hash((batch.contract or {}).get("reference_sha256"))
    if contract is not None and contract != bare_hash(original):
        return failed("the transform contract was made for another original (its reference_sha256 differs)")
    return held(f"{pack.mode}, {stated or planned} original pages, sha256 {bare_hash(original) or ''}"[:120])


def _versions(pack: Pack) -> Found:
    found = {name: pack.files[name] for name in ("meta.yaml", "tokens.json", "prompt.md")}
    missing = [name for name, file in found.items() if file.version is None]
    versions = {file.version for file in found.values() if file.version is not None}
    said = ", ".join(f"{name} {file.version}" for name, file in found.items() if file.version is not None)
    if len(versions) > 1:
        return failed(f"spec_version differs: {said}")
    if missing:
        return failed(f"no spec_version in {', '.join(missing)}" + (f" ({said})" if said else ""))
    version = next(iter(versions))
    return held(f"{version} in all three" + _advice(version))


def _advice(version: str | None) -> str:
    """A version that other YAML readers take for a number or a date is worth its quotes."""
    plain = (version or "").replace(".", "", 1).replace("-", "")
    return "; quote it in meta.yaml, other readers take it for a number or a date" if plain.isdigit() else ""


def _manifest_version(pack: Pack) -> Found:
    if pack.manifest is None:
        return unknown("no render-manifest.json: nothing says what the render was made from")
    version, own = pack.manifest.get("spec_version"), pack.files["meta.yaml"].version
    if not isinstance(version, str) or not version.strip():
        return unknown("render-manifest.json names no spec_version")
    if own is None:
        return unknown(f"the render is for {version.strip()}; meta.yaml names no version")
    if version.strip() != own:
        return failed(f"the render is for {version.strip()}, the pack says {own}")
    return held(f"the render is for {own}")


def _source_hashes(pack: Pack) -> Found:
    listed = (pack.manifest or {}).get("source_hash")
    if not isinstance(listed, dict) or not listed:
        return unknown("render-manifest.json holds no source_hash: whether the render is fresh is not known")
    wrong, open_ = [], [f"{name} has no hash" for name in SOURCES if name not in listed]
    for name, value in listed.items():
        found = _fresh(pack.files.get(name), str(name)[:80], value)
        if found.outcome == "fail":
            wrong.append(found.detail)
        elif found.outcome == "unknown":
            open_.append(found.detail)
    if wrong:
        return failed("; ".join(wrong))
    return unknown("; ".join(open_)) if open_ else held(f"{len(listed)} source hashes equal the files")


def _fresh(file: SourceFile | None, name: str, value: Any) -> Found:
    if value is None or value == "":
        return unknown(f"{name} has no hash")
    if file is None:
        return unknown(f"{name} is hashed, but is no file a render is made from")
    wanted = bare_hash(value)
    if wanted is None:
        return failed(f"{name}: {str(value)[:20]!r} is no whole sha256")
    if file.sha256 is None:
        return failed(f"{name} is hashed but missing")
    if wanted == file.sha256:
        return held(name)
    if wanted in (file.sha256_lf, file.sha256_crlf):
        return failed(f"{name} differs from the render's source in its line endings only; stale all the same")
    return failed(f"{name} was changed after the render")


def _pages(pack: Pack, batch: Batch) -> Found:
    rows = pack.meta.get("pages")
    if not isinstance(rows, list) or not rows:
        return failed("meta.yaml lists no pages")
    wrong = [f"page {page.number} {page.id}: {page.state}" for page in pack.pages if page.state != "ok"]
    plan = plan_of(pack, batch)
    planned = plan.pack_pages if plan else None
    if planned is not None and planned != len(pack.declared):
        wrong.append(f"the mirror plan counts {planned} pack pages, meta.yaml lists {len(pack.declared)}")
    ids = [page.id for page in pack.declared]
    wrong += [f"id {name!r} is listed twice" for name in sorted({name for name in ids if ids.count(name) > 1})]
    wrong += _order(pack)
    return failed("; ".join(wrong)) if wrong else held(f"{len(ids)} pages, ids and order equal")


def _order(pack: Pack) -> list[str]:
    """File names begin with the page's place, and the manifest keeps the same order."""
    wrong = []
    for page in pack.declared:
        first = page.file.removeprefix("pages/").split("-", 1)[0]
        if page.state == "ok" and first.isdigit() and int(first) != page.number:
            wrong.append(f"{page.file} is page {page.number} of meta.yaml")
    rows = (pack.manifest or {}).get("pages")
    named = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    bare = [str(name).split("-", 1)[-1] if str(name).split("-", 1)[0].isdigit() else str(name) for name in named]
    if bare and bare != [page.id for page in pack.declared]:
        wrong.append(f"render-manifest.json lists {len(bare)} pages in another order or with other ids")
    return wrong


def _page_files(pack: Pack) -> Found:
    if not slug_ok(pack.slug):
        return failed(f"{pack.slug!r} is no slug: ppt-name or web-name")
    named = pack.meta.get("slug")
    if isinstance(named, str) and named != pack.slug:
        return failed(f"meta.yaml names the slug {named[:60]!r}")
    refused = [f"{page.file}: {page.reason}" for page in pack.pages if page.state == "refused"]
    return failed("; ".join(refused)) if refused else held("every file name stays inside the pack")
