"""Render fidelity: does a pack's render resemble its original? Seven axes, deterministic checks first, two verifiers.

| module | what |
|---|---|
| `rubric`      | modes, axes and their words, as values |
| `deliverable` | reading ``fidelity_qa/<slug>.json`` as written |
| `verdict`     | pure: every rule and every reason |
| `crosscheck`  | pure: when a second verifier is due, families, Δ |
| `mapping`     | pure: the page mirror plan |
| `pack`        | a pack folder as it lies on disk |
| `checks`      | the deterministic checks, which come first and cost nothing |
| `standing`    | a pack, its checks, its scores and its verdict, together |
| `imaging`     | decoding safely and showing where to look; no verdict reads it |
| `views`       | which pages this reviewer has really seen, from the log |
| `scoring`     | a person's scores, written through the decision log |
| `verifier`    | a model as verifier, behind the firewall |
"""
