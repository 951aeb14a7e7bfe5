"""A review history with topics planted in its rejected entries, of any size, the same for the same seed.

The plain part of every entry (subjects, sources, phrases of next steps, comments) is drawn alike for accepted and
rejected ones, so nothing but the planted topics tells the two apart.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from core.suggestions.topics import Text

PLANTED: tuple[tuple[str, ...], ...] = (
    ("Web3 wallet", "Web3 wallets"),
    ("astrology",),
    ("celebrity podcast", "celebrity podcasts"),
    ("GPU K-Means clustering", "gpu k-means clustering", "ＧＰＵ K-Means clustering"),
    ("certification exam",),
    ("crypto trading bot", "crypto trading bots"),
    ("keyboard giveaway",),
    ("Kubernetes operator",),
    ("C++ template metaprogramming",),
    ("區塊鏈錢包", "区块链钱包"),
    ("星座運勢", "星座运势"),
    ("房地產投資",),
    ("電競賽事", "电竞赛事"),
    ("論文研讀會",),
    ("比特幣挖礦",),
    ("AI 繪圖比賽",),
)
"""Each topic with the spellings it is planted in."""

_SUBJECTS = (
    "hybrid search", "prompt caching", "retrieval evaluation", "structured output", "agent memory", "log sampling",
    "vector index", "error budget", "feature flag", "trace viewer", "schema migration", "queue depth",
    "rate limiting",
    "golden dataset", "regression suite", "token budget", "latency histogram", "release checklist",
    "incident review",
    "load testing", "type checking", "dependency audit", "dark mode", "search ranking", "chunk overlap",
    "rubric anchor",
    "混合檢索", "提示快取", "檢索評測", "結構化輸出", "代理記憶", "日誌抽樣", "向量索引", "錯誤預算",
    "功能開關", "資料庫遷移", "佇列深度",
    "黃金資料集", "回歸測試", "延遲分佈", "上線檢核表", "事故檢討", "型別檢查", "相依套件", "排序模型", "切塊重疊",
)  # fmt: skip
_TITLES = (
    "Five lessons from {s}", "Why {s} fails in production", "{s} explained with numbers", "A field guide to {s}",
    "What we got wrong about {s}", "{s} without tears", "Notes on {s} at scale", "The hidden cost of {s}",
    "從零開始的{s}", "{s}的三個陷阱", "談{s}與團隊協作", "{s}實戰心得", "為什麼{s}總是失敗", "一次{s}的完整記錄",
)  # fmt: skip
_STEPS = (
    "Add a case on {s} to the evaluation suite (20 minutes)", "Write one paragraph on {s} for the handbook",
    "Try {s} on last week's traces and note the result", "Compare our {s} with the article's table",
    "Sketch a dashboard panel for {s} (30 minutes)", "Ask the platform group whether {s} is on their roadmap",
    "Replace the {s} section of the onboarding guide", "Read the post and collect two ideas on {s}",
    "用 30 分鐘把{s}整理成一頁筆記", "在下週例會分享{s}的做法", "為{s}補上一個失敗案例",
    "把{s}寫進新人手冊的第三章",
    "先研究看看{s}再決定", "比較現有的{s}與文中的表格", "找一段{s}的範例放進提示庫", "請平台組評估{s}的成本",
)  # fmt: skip
_COMMENTS = (
    "", "", "", "not relevant for us", "we already have this", "太抽象", "跟目標無關",
    "already covered last month", "重複了",
    "too vague to act on", "沒有具體步驟", "low priority this quarter", "看不出價值", "nobody has time for it",
    "先不做",
)  # fmt: skip
_PRAISE = (
   "", "", "", "", "exactly what we lack", "馬上可以做", "good, small and testable", "正好需要", "fits the goal",
)  # fmt: skip


@dataclass(frozen=True)
class Corpus:
    """The two halves of a history and, for each planted topic, the rejected entries that hold it."""

    rejected: list[Text]
    accepted: list[Text]
    planted: dict[str, set[str]]


def corpus(rejected: int, accepted: int, seed: int) -> Corpus:
    """A history in which each planted topic stands in 3 to 8 rejected entries and, for some, in one accepted one."""
    draw = random.Random(seed)
    slots: list[tuple[str, ...] | None] = [topic for topic in PLANTED for _ in range(draw.randint(3, 8))]
    if len(slots) > rejected:
        raise ValueError(f"{rejected} rejected entries cannot hold {len(slots)} planted ones")
    slots += [None] * (rejected - len(slots))
    draw.shuffle(slots)
    planted: dict[str, set[str]] = {topic[0]: set() for topic in PLANTED}
    refused = []
    for number, topic in enumerate(slots):
        one = f"r{number}"
        refused.append(_text(draw, one, topic, _COMMENTS))
        if topic:
            planted[topic[0]].add(one)
    # One accepted entry for every fifth topic: rarer than among the rejected, so still a topic.
    slips: list[tuple[str, ...] | None] = list(PLANTED[::5])
    slips += [None] * (accepted - len(slips))
    draw.shuffle(slips)
    kept = [_text(draw, f"a{number}", topic, _PRAISE) for number, topic in enumerate(slips)]
    return Corpus(refused, kept, planted)


def _text(draw: random.Random, one: str, topic: tuple[str, ...] | None, comments: tuple[str, ...]) -> Text:
    """The topic stands in the title, in the next step, or in the reviewer's comment (one in six)."""
    title = draw.choice(_TITLES).format(s=draw.choice(_SUBJECTS))
    step = draw.choice(_STEPS).format(s=draw.choice(_SUBJECTS))
    comment = draw.choice(comments)
    if topic:
        spelled = draw.choice(topic)
        place = draw.randint(1, 6)
        if place <= 3:
            title = draw.choice(_TITLES).format(s=spelled)
        elif place <= 5:
            step = draw.choice(_STEPS).format(s=spelled)
        else:
            comment = f"no {spelled} please" if spelled.isascii() else f"不要再推{spelled}"
    return Text(one, f"{title}\n{step}", comment)
