"""Score one draft: a small stand-in for a fidelity harness and its judges, for `report loop`.

Reads the question on standard input, answers with one JSON object (docs/report-loop.md). It measures the draft itself:
values against data.json, the text outside bound nodes against template.html, pictures for their descriptions. Its
"judges" are three plain readability formulas, so that the same draft always gets the same samples.
"""

import json
import re
import sys
from pathlib import Path

BOUND = re.compile(r'<(\w+)([^>]*\bdata-bind="([^"]+)"[^>]*)>(.*?)</\1>', re.DOTALL)
EDITABLE = re.compile(r'(<(\w+)[^>]*\bdata-edit="[^"]+"[^>]*>)(.*?)(</\2>)', re.DOTALL)
TAG = re.compile(r"</?(\w+)")


def words_of(html):
    return re.sub(r"<[^>]+>", " ", re.sub(r"<(style|script).*?</\1>", " ", html, flags=re.DOTALL)).split()


def frozen(html):
    """Everything that no binding and no reviser may change."""
    html = BOUND.sub(r"[\3]", html)
    html = EDITABLE.sub(lambda found: f"[{re.search(r'data-edit=.([^ >]+).', found[1])[1]}]", html)
    return re.sub(r'aria-label="[^"]*"', "", " ".join(html.split()))


def leg(name, passed, evidence, verdict=None, blocking=True, label="proven"):
    word = verdict or ("pass" if passed else "fail")
    return {"leg": name, "verdict": word, "label": label, "inference_independent": name in ("V2", "V4", "V6"),
            "blocking": blocking, "evidence": evidence}  # fmt: skip


def legs(draft, template, data):
    shown = {key: " ".join(re.sub(r"<[^>]+>", "", text).split()) for _, _, key, text in BOUND.findall(draft)}
    wrong = [f"{key} shows {shown.get(key)!r}, not {value!r}" for key, value in data["values"].items()
             if shown.get(key) != value]  # fmt: skip
    count = len(data["values"])
    tags = [TAG.findall(text) for text in (template, draft)]
    leaked = [word for word in data["taint"] if word.lower() in draft.lower()]
    wide = re.findall(r"width:\s*(\d{4,})px", draft)
    unknown = sorted(shown.keys() ^ data["values"].keys())
    periods = set(re.findall(r"Q[1-4] \d{4}", " ".join(words_of(draft)))) - {data["period"], data["previous"]}
    return [
        leg("V1", not wrong, "; ".join(wrong) or f"{count} of {count} values landed at their anchors"),
        leg("V2", frozen(draft) == frozen(template), "everything outside bound and editable nodes is as in the template"
            if frozen(draft) == frozen(template) else "text outside bound nodes changed"),
        leg("V3", tags[0] == tags[1], f"{len(tags[1])} tags, the same skeleton" if tags[0] == tags[1] else
            f"{len(tags[0])} tags in the template, {len(tags[1])} here"),
        leg("V4", not leaked, f"0 of {len(data['taint'])} entries survive" if not leaked else f"found {leaked}"),
        leg("V5", not wide, f"an element is {wide[0]}px wide" if wide else "rendered, no overflow", label="judged",
            blocking=False),
        leg("V6", not unknown, f"every slot has a binding ({count})" if not unknown else f"unbound: {unknown}"),
        leg("period-coherence", not periods, f"also speaks of {sorted(periods)}" if periods else
            f"one period everywhere: {data['period']}"),
    ]  # fmt: skip


def accessibility(draft):
    pictures = re.findall(r"<(?:img|svg)\b[^>]*>", draft)
    bad = [tag for tag in pictures if not re.search(r'(?:alt|aria-label)="[^"]+"', tag)]
    return {
        "schema": "report-regeneration/a11y-gate@1", "gate": "FAIL" if bad else "PASS",
        "counts": {"blocking": len(bad), "advisory": 0},
        "violations": [{"rule": "img-alt", "wcag": "1.1.1", "impact": "critical", "blocking": True, "node": tag[:60],
                        "detail": "a picture without a description"} for tag in bad],
        "manual_residue": ["Alt text says what the chart shows (WCAG 1.1.1)", "Reading order of the page (WCAG 1.3.2)"],
    }  # fmt: skip


def samples(draft):
    """Three readers each: the same formula, a little stricter or milder."""
    paragraphs = " ".join(" ".join(words_of(text)) for text in re.findall(r"<p id=.*?</p>", draft, re.DOTALL))
    sentences = [part.split() for part in re.split(r"[.!?]\s", paragraphs) if part.strip()]
    longest = max((len(part) for part in sentences), default=0)
    label = " ".join(re.findall(r'aria-label="([^"]*)"', draft))
    captions = re.findall(r"<figcaption.*?</figcaption>", draft, re.DOTALL)
    caption = max((len(words_of(text)) for text in captions), default=0)
    fluency = 0.97 - 0.012 * max(0, longest - 22)
    described = 0.45 + min(0.5, 0.03 * len(label.split()) + 0.04 * len(re.findall(r"\d", label)))
    taste = 0.92 - 0.01 * max(0, caption - 14)
    return {name: [round(max(0.0, min(1.0, value + shift)), 2) for shift in (0.0, -0.02, 0.01)]
            for name, value in (("dynamic", fluency), ("inclusive", described), ("polished", taste))}  # fmt: skip


def main():
    question = json.load(sys.stdin)
    folder = Path(question["folder"])
    draft = Path(question["draft"]).read_text("utf-8")
    data = json.loads((folder / "data.json").read_text("utf-8"))
    found = legs(draft, (folder / "template.html").read_text("utf-8"), data)
    failed = [item for item in found if item["verdict"] != "pass"]
    gate = "PASS" if not failed else "FAIL" if any(item["blocking"] for item in failed) else "PARTIAL"
    receipt = {
        "receipt_version": "1.0.0", "run_id": f"{question['run']}-{question['iteration']}", "format": "html",
        "generated_at": question["now"], "ttl_seconds": 2592000, "env_fingerprint": "demo-harness-1",
        "overall_gate": gate, "manual_residue": data["manual_residue"], "legs": found,
    }  # fmt: skip
    answer = {"receipt": receipt, "a11y": accessibility(draft), "samples": samples(draft),
              "judge_fingerprint": "sha256:three-readability-formulas"}  # fmt: skip
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
