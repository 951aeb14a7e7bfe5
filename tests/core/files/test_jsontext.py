"""JSON text as bytes."""

import json

import pytest

from core.files import jsontext


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ('"Größe 😀"', '"Größe 😀"'.encode()),
        ('"\ud83d"', b'"\\ud83d"'),
        ('"\udc00\ud83d"', b'"\\udc00\\ud83d"'),
        ('"\\\\\ud83d"', b'"\\\\\\ud83d"'),
    ],
)
def test_half_a_surrogate_pair_is_written_as_its_escape(text, raw):
    assert jsontext.encoded(text) == raw
    assert json.loads(raw) == json.loads(text)
