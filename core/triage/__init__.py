"""Triage: everything that needs a human, in one place, and what became of it (triage contract).

| module | what |
|---|---|
| `gather`    | the findings of the four systems; only changed files are read again |
| `life`      | open, claimed, resolved, snoozed, closed: one pure fold of the log |
| `statistics`| counts by kind, how long items wait, opened and closed a day |
| `inbox`     | the items as they stand now, and the deeds: claim, release, resolve, snooze, undo |
| `choices`   | which decisions a kind of finding offers |
"""
