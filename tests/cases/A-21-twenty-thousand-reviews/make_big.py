"""Twenty thousand reviews, about 7 MB: `make_big.py OUT [N]`."""

import sys
from pathlib import Path

TOPICS = ["技術", "商業", "心態", "靈感", "其他"]


def big(count: int = 20_000) -> str:
    """The text of a reviewed file with this many entries."""
    return "# ✅ Reviewed Suggestions\n" + "".join(map(entry, range(count)))


def entry(number: int) -> str:
    day = f"{2020 + number // 5000}-{1 + (number // 28) % 12:02d}-{1 + number % 28:02d}"
    score = f"{4 + number % 3}/6 (A:2 P:{1 + (number % 3) // 2} G:{1 + (number % 3 > 0)})"
    return (
        f"\n---\n\n### {day} | Website | [Item {number}](https://example.com/{number})\n"
        f"- 🏷️ {TOPICS[number % 5]} | 📊 {score}\n- 📋 建議：{'做一件具體的事 ' * 8}{number}\n"
        f"- **Feedback**: {'❌ Reject' if number % 3 else '✅ Accept'}\n- **Reviewed**: {day}T10:00:00+08:00\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(big(int(sys.argv[2]) if len(sys.argv) > 2 else 20_000), "utf-8", newline="\n")
