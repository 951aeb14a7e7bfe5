"""The practice judge that skims: the same turn reads the same, another turn something else, and never the reference."""

from core.judge.practice.asked import Asked
from core.judge.practice.reply import answer
from core.judge.practice.skim import skimmed

TEXT = "One comes first. Two follows it. Three is the middle. Four is near the end. Five ends it."


def asked(text: str) -> Asked:
    return Asked("practice-skim", "Judge.", {"reference": TEXT, "text_under_test": text}, (), {}, {})


def test_one_sentence_is_left_out_and_the_reference_is_read_whole() -> None:
    read = [skimmed(asked(TEXT), turn).parts for turn in range(12)]
    assert all(parts["reference"] == TEXT for parts in read)
    left_out = {TEXT.count(". ") + 1 - parts["text_under_test"].count(".") for parts in read}
    assert left_out == {0, 1}


def test_a_turn_decides_and_chance_does_not() -> None:
    scores = [[answer(skimmed(asked(TEXT + "\n"), turn))["score"] for turn in range(12)] for _ in range(2)]
    assert scores[0] == scores[1]
    assert len(set(scores[0])) > 1
    assert max(scores[0]) == 1.0


def test_a_short_text_is_read_whole() -> None:
    assert all(skimmed(asked("One. Two."), turn).parts["text_under_test"] == "One. Two." for turn in range(8))
