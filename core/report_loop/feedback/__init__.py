"""What reviewers still had to change: every edit between the shipped report and the reviewed one, classified.

| module | what |
|---|---|
| `model`    | an edit, its class, and a report's feedback |
| `edits`    | the two versions aligned: blocks, sentences, words |
| `markup`   | pictures, attributes and structure that changed without their words |
| `classify` | the rules; what they cannot decide is undecided |
| `document` | `feedback.json` |
| `trend`    | the share of substantive edits over reports, and what recurs |

Report-loop contract, Feedback.
"""
