"""How the practice judge reaches its numbers: plain rules over the words of a text, the same every time.

Pure. They are made to be understood in a minute, not to be right: a newcomer should see why a text got what it got.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_WORD = re.compile(r"[^\W\d_][\w'-]*|\d+(?:[.,]\d+)*", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP = _listed("""
    a an and are as at be by for from has have if in into is it its it's i no not none of on or our so than that the
    their them then there these they this to was we were what which will with you your me my us set
""")
_ACTIONS = _listed("""
    add adopt automate benchmark build change check compare configure convert create cut delete deploy document draft
    enable evaluate export extend fix implement import install integrate log measure merge migrate move parse pin
    publish record refactor remove rename replace rewrite run schedule script set split switch test trim try tune
    update upgrade use validate wire write
""")
_CJK_ACTIONS = _listed("""
    新增 建立 加入 加上 改寫 改为 改為 替換 替换 更新 測試 测试 實作 实作 實現 实现 撰寫 撰写 整理 移除 刪除 删除 安裝
    安装 設定 设定 部署 比較 比较 導入 导入 套用 自動化 自动化 量測 记录 記錄
""")
_PASSIVE = re.compile(
    r"\b(?:consider|explore|keep an eye|look into|look at|read up|learn about|think about|be aware|monitor|follow)\b"
    r"|研究看看|看看|了解|关注|關注|持續觀察|持续观察|留意|參考一下|参考一下",
    re.IGNORECASE,
)
_SCOPE = re.compile(
    r"\b\d+\s*(?:min(?:ute)?s?|hours?|hrs?|h|days?|weeks?|pages?|files?|lines?|items?|entries|examples|%)\b"
    r"|\b(?:today|tomorrow|this week|this sprint|by (?:monday|tuesday|wednesday|thursday|friday|next))\b"
    r"|\d+\s*(?:分鐘|分钟|小時|小时|天|週|周|頁|页|個|个|條|条)|今天|明天|本週|本周",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A value in 0…1 and the sentence that explains it."""

    value: float
    why: str


def words(text: str) -> list[str]:
    """The words of a text, in lower case, without stop words; runs of Chinese, Japanese or Korean as pairs."""
    found = [word for word in _WORD.findall(_CJK.sub(" ", text.lower())) if word not in _STOP]
    for run in _CJK.findall(text):
        found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return found


def _pairs(found: list[str]) -> list[str]:
    return [f"{first} {second}" for first, second in itertools.pairwise(found)]


def overlap(reference: Iterable[str], text: Iterable[str]) -> float:
    """F1 of two bags of words, 0…1; 0 where either is empty."""
    wanted, got = Counter(reference), Counter(text)
    shared = sum((wanted & got).values())
    return 2 * shared / (wanted.total() + got.total()) if shared else 0.0


def likeness(reference: str, text: str) -> Finding:
    """How much of a reference stands in a text: half by words, half by word pairs."""
    wanted, got = words(reference), words(text)
    single, double = overlap(wanted, got), overlap(_pairs(wanted), _pairs(got))
    missing = [word for word in dict.fromkeys(wanted) if word not in set(got)][:4]
    gone = f"; missing: {', '.join(missing)}" if missing else ""
    return Finding((single + double) / 2, f"words agree to {single:.0%}, word pairs to {double:.0%}{gone}")


def coverage(instructions: str, text: str) -> Finding:
    """How many of the instructions' own words the text takes up."""
    asked, got = set(words(instructions)), set(words(text))
    shared = sorted(asked & got)
    value = len(shared) / len(got) if got else 0.0
    return Finding(value, f"{len(shared)} of its {len(got)} words stand in the instructions")


def actionability(suggestion: str) -> Finding:
    """0 vague or passive; 0.5 an action and an object; 1 also a scope or a time."""
    step = next_step(suggestion)
    if _PASSIVE.search(step):
        return Finding(0.0, "the next step is passive or vague")
    found = words(step)
    action = next((word for word in found if word in _ACTIONS), None)
    action = action or next((word for word in sorted(_CJK_ACTIONS) if word in step), None)
    if action is None or len(found) < 2:
        return Finding(0.0, "no action and object in the next step")
    scope = _SCOPE.search(step)
    if scope:
        return Finding(1.0, f"action ({action}) with a scope or time ({scope[0].strip()})")
    return Finding(0.5, f"action ({action}) without a scope or time")


_NEXT = re.compile(r"(?:建議下一步|建議|建议|Suggestion|Next step)\W*[：:]\s*(.+)", re.IGNORECASE)


def next_step(suggestion: str) -> str:
    """The next step of an entry, else all of it."""
    found = _NEXT.search(suggestion)
    return found[1] if found else suggestion


_LOW = re.compile(r"low|avoid|dislike|not interested|skip|less|passive|不|低|避免|排除", re.IGNORECASE)


def preference(suggestion: str, preferences: str) -> Finding:
    """1 where the entry shares words with what is liked, 0 with what is not, 0.5 with neither or both."""
    liked, disliked = _by_heading(preferences)
    got = set(words(suggestion))
    for_it, against = sorted(got & liked), sorted(got & disliked - liked)
    if len(for_it) > len(against):
        return Finding(1.0, f"shares {', '.join(for_it[:3])} with the preferences")
    if len(against) > len(for_it):
        return Finding(0.0, f"shares {', '.join(against[:3])} with what is of low interest")
    return Finding(0.5, "neutral to the preferences")


def _by_heading(preferences: str) -> tuple[set[str], set[str]]:
    """The words under headings (or on lines) that like something, and under those that do not."""
    liked: set[str] = set()
    disliked: set[str] = set()
    low = False
    for line in preferences.splitlines():
        if line.lstrip().startswith("#"):
            low = bool(_LOW.search(line))
            continue
        here = low or bool(re.match(r"\W*(?:avoid|skip|dislike|no )", line, re.IGNORECASE))
        (disliked if here else liked).update(words(line))
    return liked, disliked


def goal(suggestion: str, goals: str) -> Finding:
    """1 where two or more words of one goal stand in the entry, 0.5 for one, 0 for none."""
    got = set(words(suggestion))
    lines = [line for line in goals.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    best = max((sorted(got & set(words(line))) for line in lines), key=len, default=[])
    if not best:
        return Finding(0.0, "advances no named goal")
    return Finding(1.0 if len(best) > 1 else 0.5, f"shares {', '.join(best[:3])} with a goal")


def pick(parts: Mapping[str, str], *names: str) -> str | None:
    """The first part whose name holds one of these words."""
    return next((text for name, text in parts.items() if any(word in name.lower() for word in names)), None)
