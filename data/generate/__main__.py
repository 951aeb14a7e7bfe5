"""Write data/demo from the authored material: `python data/generate [system …]`. The same bytes on every run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
SYSTEMS = ("suggestions", "grader", "report_loop", "text_fidelity", "render_fidelity")


def main(wanted: list[str]) -> None:
    sys.path[:0] = [str(REPOSITORY), str(HERE)]
    for system in wanted or SYSTEMS:
        if system not in SYSTEMS:
            raise SystemExit(f"{system!r} is none of {', '.join(SYSTEMS)}")
        specification = importlib.util.spec_from_file_location(f"generate_{system}", HERE / f"{system}.py")
        if specification is None or specification.loader is None:
            raise SystemExit(f"data/generate/{system}.py is missing")
        module = importlib.util.module_from_spec(specification)
        sys.modules[specification.name] = module  # a dataclass looks its module up
        specification.loader.exec_module(module)
        module.build(REPOSITORY / "data" / "demo")
        print(f"wrote {system}")


if __name__ == "__main__":
    main(sys.argv[1:])
