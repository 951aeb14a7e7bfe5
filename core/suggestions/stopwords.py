"""Words that are no topic on their own (suggestions contract, Maintain: "stop words, boilerplate of the entry format").

Three kinds. An *edge* word neither begins nor ends a topic: function words, the small talk of refusals. A *verb*, the
imperatives of next steps ("add", "整理"), does not begin one but may end it ("unit test", "市場研究"). A *plain* word
may do both ("deep learning"). None of them is a topic alone, and a phrase needs at least one word of another kind.
"""

from __future__ import annotations

from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_VERBS: frozenset[str] = _words("""
add adding added adopt apply ask bring build building built buy change check choose close collect compare complete
consider copy cover create cut decide define describe document draft evaluate explain explore extend extract find
finish fix follow generate get give go implement import improve include install introduce investigate keep know
learn let lets link list look looks make  map mark measure monitor move need needs note organise organize
pick plan practise practice prepare print put read record reduce remember remove rename replace report
reproduce rerun rewrite run running save schedule see select send set share show shows sketch skip sort spend start
started stop store study subscribe suggest suggested summarise summarize swap take takes talk tell test think track
translate try trying turn understand update use used using verify view wait want watch wire work working works write
written
""")
"""Imperatives: case-folded words that do not begin a topic."""

_TALK = """
about act acted acting actionable bandwidth covered effort priority prioritise prioritize ready sense skipped valuable
able action again ago already also away back bad best better bigger brief come case current currently daily day days
detail details different does doing done each early easy else enough entire even every extra far fast few five four
full further general good great half hard help here high hour hours idea ideas important interested interesting into
just kind last later latest less like little long longer lot low made main matter may maybe mean means min mins
minute minutes month months monthly more most much must never new next nice now number off old one only option
options order other our out over own people per piece please point points possible quick quickly quarter quarterly
quite rather real really recent relevant right same say says second seen short should simple single six small some
something soon specific still such sure ten than that them then there these they thing things this those three time
times tip tips today together told tomorrow tonight too took twice two under us useful using usual value very was way
ways week weeks weekly well were what when where which while who whole why will without worth would wrong year
years yes
yet you your abstract boring busy dont doesnt didnt duplicate duplicated generic isnt irrelevant known meh outdated
reject rejected accept accepted repeat repeated scope unclear unrelated useless vague wont off-topic not-relevant
"""

_PLAIN = """
open reading writing making
article articles blog book chapter code column comment data end example examples experiment feedback file files
insight insights issue item items learning level line lines local name notebook notes overview page pages paper
papers part parts place post posts project question questions reference research result results review reviewed
rubric rule rules score section sections series setup side source sources step steps story suggestion suggestions
summary system systems table task tasks team text tool tools topic topics tutorial tutorials user users version
video videos filter category threshold http https www com org net html
"""

_CONTENT_AFTER_ALL = {"system", "fire", "bill", "mill", "mine", "front", "side", "bottom", "computer", "thick", "thin"}


@lru_cache(maxsize=1)
def english_edge() -> frozenset[str]:
    """Case-folded words that neither begin nor end a topic: scikit-learn's stop words and the small talk."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # here, because it takes a second to import

    return (frozenset(ENGLISH_STOP_WORDS) - _CONTENT_AFTER_ALL) | _words(_TALK)


@lru_cache(maxsize=1)
def english_plain() -> frozenset[str]:
    """Case-folded words that may begin or end a topic and are none alone."""
    return _words(_PLAIN) - english_edge() - ENGLISH_VERBS


CHINESE_CHARS: frozenset[str] = frozenset(
    "的了在是個个這这那與与和或也都就而但並并被把將将從从對对於于為为以之其此該该每再又很太更還还只嗎吗呢吧啊啦喔我你他她它們们您"
    "沒没讓让給给些麼么誰谁哪若及約约兩两幾几先跟與第才已"
)
"""Single characters, both forms, that neither begin nor end a Chinese topic."""

CHINESE_EDGE: frozenset[str] = _words(
    """
    看不出 看不懂 不做 先不做 不是 不想 不感興趣 沒時間 沒價值 沒幫助 用不到 做過了 看過了 有過 已有 太廣 太淺
    太深 太難 太舊 過時 空泛 籠統
    建議 建議下一步 下一步 今天 明天 本週 這週 下週 每週 每天 之後 以後 目前 現在 最近 已經 還是
    可以 可能 應該 需要 不要 不用 不需要 沒有 沒興趣 沒空 興趣 無關 不相關 相關 重複 太抽象 抽象
    模糊 具體 不夠 太多 太少 優先 暫時 分鐘 小時 研究看看 研究一下 看看 了解一下 試試 一個 一份
    一段 一篇 一條 一次 一些 一下 一項 一種 兩個 三個 這個 這篇 這份 這些 那個 我們 自己 他們
    大家 如何 什麼 為什麼 怎麼 因為 所以 如果 但是 而且 以及 或者 並且 然後 以前 非常 有點 真的
    值得 有用 沒用 很多 無法 之前 之間
    """
)
"""Chinese words, as written in Traditional form, that neither begin nor end a topic."""

CHINESE_VERBS: frozenset[str] = _words(
    """
    建立 加入 加上 新增 增加 整理 整理成 研究 了解 閱讀 參考 嘗試 試用 使用 利用 採用 安裝 設定
    調整 改成 改用 更新 檢查 比較 實作 寫成 撰寫 記錄 列出 找出 挑選 做成 完成 開始 進行 處理
    分享 討論 追蹤 收藏 下載 套用 導入 評估 準備 確認 說明 介紹 深入 放進 放到 補上 寫進 加到
    用來 學習 測試 分析 練習 訂閱 設計 規劃
    """
)
"""Chinese words, as written in Traditional form, that do not begin a topic."""

CHINESE_PLAIN: frozenset[str] = _words(
    """
    價值 幫助 步驟 領域 方向 報告 評論 標題 分類 實驗 筆記 紀錄 團隊 使用者 工具 文章 內容 方法 方式 流程 步驟
    功能 問題
    結果 範例 案例 資料 資訊 檔案 文件 版本 專案 工作 時間 部分 重點 想法 概念 主題 觀點 做法
    目標 來源 清單 表格 摘要 教學 影片 連結
    """
)
"""Chinese words, as written in Traditional form, that may begin or end a topic and are none alone."""
