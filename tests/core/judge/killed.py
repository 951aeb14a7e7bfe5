"""A run for test_cache to kill: asks 20 questions one after the other and prints a line after each stored sample."""

import sys

from core.judge import JudgeSpec, open_judge
from core.workspace import Workspace
from tests.core.judge.asking import question

if __name__ == "__main__":
    folder, url = sys.argv[1:]
    spec = JudgeSpec(model="test-slow-40", base_url=url)
    judge = open_judge(spec, Workspace.open(folder), concurrency=2)
    judge.ask_many([question(number) for number in range(20)], lambda progress: print(progress.done, flush=True))
