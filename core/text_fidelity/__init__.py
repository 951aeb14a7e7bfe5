"""Text fidelity: a frozen, n-sampled text judge and its ledger (text-fidelity contract).

| module | what | pure |
|---|---|---|
| `place`     | the eval folder and its files | |
| `config`    | config.json: read, refuse, warn | |
| `reference` | a case's reference: a file under the folder, or inline text | |
| `freeze`    | the frozen definition and its hashes, byte-compatible with servo | yes |
| `changes`   | what differs between two definitions, and numbers that are only spelled differently | yes |
| `approval`  | the state of a freeze, and approving one | |
| `command`   | one command, run with limits and without secrets | |
| `gather`    | the text under test of each case | |
| `artifacts` | the gathered texts that are kept, and those that a run takes again | |
| `trust`     | which command sources a reviewer has trusted | |
| `aggregate` | lower bounds and the composite | yes |
| `score`     | one run: validate, gather, judge, aggregate, record | |
| `record`    | the ledger record and the attempt record | yes |
| `runs`      | runs as arrays | yes |
| `columns`   | ledger records as arrays, and what is wrong with the others | yes |
| `history`   | ledger.jsonl and attempts.jsonl as read | |
| `ledger`    | series, noise floor, plateau, drift | yes |
| `noise`     | pooled judge noise, and advice on n | yes |
| `chart`     | what the ledger chart draws | yes |
| `worddiff`  | a word difference of two texts | yes |
| `splice`    | the block in oracle.sh and its entry, as text | yes |
| `oracle`    | install and uninstall | |
| `scaffold`  | ``text init`` | |
| `view`      | everything the page shows of one eval | |
| `report`    | what ``text ledger`` prints | |
| `findings`  | what of this system needs a person | |
| `cli`       | ``python -m core text …`` | |
"""
