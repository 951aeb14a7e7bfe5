"""Strict JSON: what is ambiguous is unreadable, with its place (contract README)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.files import parse_json, recover_json

REFUSED = {
    # text: (line, words of the reason)
    '{"a": 1,\n "a": 2}': (2, "'a' stands twice"),
    '{"a": {"b": 1,\n"c": 2},\n"a": 3}': (3, "'a' stands twice"),
    '{"a": "NaN",\n "b": NaN}': (2, "NaN is not a JSON number"),
    "[-Infinity]": (1, "-Infinity is not a JSON number"),
    "[1,\n\n1e999]": (3, "larger than a number can be"),
    '{"a": 1}\n{"b": 2}': (2, "second JSON document"),
    '{"a": 1} thanks': (1, "text after the JSON document"),
    '{"a": 1,': (1, "cut off before its end"),
    '{"a": "b': (1, "cut off before its end"),
    '{"a": 1,}': (1, "not JSON"),
    '{"a": "\0"}': (1, "NUL byte"),
    "": (1, "empty"),
    "\n\n": (1, "empty"),
    "[" * 300 + "]" * 300: (1, "nested deeper"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_refuses_with_line_and_reason(text):
    line, words = REFUSED[text]
    with pytest.raises(BadInput) as caught:
        parse_json(text, "r.json")
    assert caught.value.problem.file == "r.json"
    assert caught.value.problem.line == line
    assert words in caught.value.problem.reason


def test_bytes_that_are_not_utf8_are_refused_and_a_bom_is_not():
    assert parse_json(b'\xef\xbb\xbf{"a": 1}\r\n', "r.json") == {"a": 1}
    with pytest.raises(BadInput, match="not UTF-8 from byte 7"):
        parse_json(b'{"a": "\xff"}', "r.json")


def test_a_deep_but_allowed_text_with_brackets_inside_strings_is_read():
    assert parse_json(json.dumps(["[" * 500]), "r.json") == ["[" * 500]


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_json_writes_is_read_back(value):
    assert parse_json(json.dumps(value).encode(), "r.json") == value


@given(st.dictionaries(st.text(), st.integers()), st.data())
def test_any_cut_of_an_object_is_refused(value, data):
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(BadInput):
        parse_json(text[:cut], "r.json")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('{"a": 1}', None),
        ('```json\n{"a": 1}\n```\n', "recovered from a code fence"),
        ('Here it is:\n```\n{"a": 1}\n```\nDone.', "recovered from a code fence"),
        ('The answer is {"a": 1}, as asked.', "recovered from chat text"),
    ],
)
def test_one_object_in_chat_text_is_recovered_and_says_so(text, note):
    assert (recover_json(text, "r.json").value, recover_json(text, "r.json").note) == ({"a": 1}, note)


@pytest.mark.parametrize(
    "text", ['{"a": 1} {"b": 2}', 'one {"a": 1} two {"b": 2}', "nothing here", '```\n{"a": 1,}\n```']
)
def test_nothing_is_repaired_or_chosen(text):
    with pytest.raises(BadInput):
        recover_json(text, "r.json")
