"""The report loop: receipts in, four dimensions out, a ratchet that never trades one for another, and a stop rule.

| module | what |
|---|---|
| `words`     | the closed sets of words the contract uses |
| `receipt`   | a fidelity receipt, read tolerantly and judged strictly |
| `a11y`      | the accessibility gate that lies beside it |
| `residue`   | what is left for a person: the reviewer's checklist |
| `rubric`    | the pure rules under the contract's names (`dimensions`, `ratchet` and `stop` hold them) |
| `loop`      | the driver: score, revise, accept or revert, stop |
| `signals`   | sign consistency and format consistency of a draft |
| `feedback`  | what reviewers still had to change, classified |
| `draft`     | which draft a tick or waiver is about |
| `named`     | which receipt an iteration names |
| `runs`      | a run folder as it stands on disk |
| `view`      | everything a page says about a run, as one pure function of its files |
"""
