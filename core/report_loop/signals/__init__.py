"""Two deterministic signals over a draft: sign consistency and format consistency.

Each returns findings with the offending text and its place, not only a boolean; nothing found to check is not a pass
(report-loop contract, Four dimensions, last paragraph).
"""

from core.report_loop.signals.blocks import Block, Kind, kind_of, read_blocks
from core.report_loop.signals.deltas import Delta, read_deltas
from core.report_loop.signals.formats import FormatReport, format_consistency
from core.report_loop.signals.remark import Remark
from core.report_loop.signals.sign import SignReport, sign_consistency

__all__ = [
    "Block",
    "Delta",
    "FormatReport",
    "Kind",
    "Remark",
    "SignReport",
    "format_consistency",
    "kind_of",
    "read_blocks",
    "read_deltas",
    "sign_consistency",
]
