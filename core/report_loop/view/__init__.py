"""Everything a page says about a run, as pure functions of its files, what people decided, and the time.

| module | what |
|---|---|
| `timeline` | an iteration a column, a dimension a row |
| `status`   | how a run ended in words, what holds it back, one row for the list |
| `receipts` | a receipt's legs, age, flags and accessibility |
| `budget`   | edits by node, frozen ones marked |
| `run`      | all of it together |
"""

from core.report_loop.view.budget import NodeBudget
from core.report_loop.view.receipts import LegRow, ReceiptView
from core.report_loop.view.run import ChecklistLine, RunView, view_run
from core.report_loop.view.status import Headline, Row, headline, row_of
from core.report_loop.view.timeline import Cell, Column, columns

__all__ = [
    "Cell",
    "ChecklistLine",
    "Column",
    "Headline",
    "LegRow",
    "NodeBudget",
    "ReceiptView",
    "Row",
    "RunView",
    "columns",
    "headline",
    "row_of",
    "view_run",
]
