"""The gathered texts that are kept, and those that a run takes again (text-fidelity contract, Gather)."""

from __future__ import annotations

import hashlib
from datetime import datetime

import numpy as np

from core.errors import BadInput, UnsafePath
from core.files import read_bytes
from core.text_fidelity import ledger
from core.text_fidelity.columns import micros
from core.text_fidelity.gather import Gathered, GatherFailed
from core.text_fidelity.history import reader
from core.text_fidelity.place import EvalFolder


def artifact_text(folder: EvalFolder, sha256: str) -> str | None:
    """A gathered text by its hash; None where it was not kept or is no longer what its name says."""
    try:
        path = folder.artifact(sha256)
        raw = read_bytes(path, folder.file_label(path))
        return raw.decode() if hashlib.sha256(raw).hexdigest() == sha256 else None
    except (BadInput, UnsafePath, UnicodeDecodeError):
        return None


class Held:
    """Gives a case the text it had in the last run of one definition (``--hold-artifacts``), and runs nothing.

    Last in time, as the ledger is read: a run from the future or of an unknown zone is not the last one.
    """

    def __init__(self, folder: EvalFolder, definition: str, now: datetime) -> None:
        self._folder = folder
        runs = reader(folder).history().runs
        reading = ledger.read(runs, micros(now.timestamp(), now.microsecond))
        series = next((one.rows for one in reading.series if one.definition == definition), np.zeros(0, np.int64))
        cases = runs.cases_of(series)
        self._newest: dict[str, str] = {}
        for row in series[reading.marks.trusted[series]]:
            for i in range(*cases.of(int(row))):
                case, sha256 = cases.case.word(i), cases.artifact.word(i)
                if case is not None and sha256 is not None:
                    self._newest[case] = sha256

    def __call__(self, case: str) -> Gathered:
        """Raises GatherFailed where there is no such text, or it is no longer kept."""
        sha256 = self._newest.get(case)
        if sha256 is None:
            raise GatherFailed(case, "there is no text to hold: no run of this definition has recorded one")
        text = artifact_text(self._folder, sha256)
        if text is None:
            raise GatherFailed(case, f"the text to hold is gone or was changed: artifacts/{sha256[:12]}….txt")
        return Gathered(case, text, sha256, held=True)
