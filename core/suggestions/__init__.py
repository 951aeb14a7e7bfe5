"""Suggestions: read what a pipeline proposed, let people decide, learn what to block (suggestions contract).

| module | what |
|---|---|
| `markup`, `links`, `lines`, `fields` | the pieces of an entry's text |
| `entries`   | a file as a document of entries, without loss |
| `store`     | documents kept as long as their files stay the same |
| `queue`     | distinct suggestions, their order, search |
| `blocklist` | patterns and matching, with `variants` for Chinese |
| `edits`     | the bytes a decision takes away and adds |
| `review`    | accept, reject, restore, undo |
| `confirm`   | the only two functions that change `rubric_blocklist.md` |
| `profile`   | goals and preferences, placeholders left out |
| `findings`  | what of this system needs a human |
"""
