"""The component's block in oracle.sh and its entry in COMPONENTS, as text (text-fidelity contract, Command line). Pure.

Everything is decided by whole lines: what stands inside a comment is not an anchor and not an entry. Line endings stay
as they were. A text that does not have the expected shape is refused as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

COMPONENT = "content_fidelity"
START, END = f"# SEED:start {COMPONENT}", f"# SEED:end {COMPONENT}"
ANCHOR = 'weighted_sum="0"'
KEY_ADDED = "# install.json: its components key was added with this block"

_OPENING = re.compile(r"\s*(?:(?:declare|readonly|local|typeset)\s+(?:-\w+\s+)*)?COMPONENTS\+?=\((?P<rest>.*)")
_ENTRY = re.compile(rf"""(?P<quote>["']?)\b{COMPONENT}:(?P<weight>[^"'\s()]*)(?P=quote)""")

_BLOCK = r"""{start}
# Written by Touchstone {version}. `text uninstall` takes it out again, `text install` writes it anew.
{note}score_content_fidelity() {{
  local out number='^[[:space:]]*(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)[[:space:]]*$'
  if ! command -v python3 >/dev/null 2>&1; then
    echo "content-fidelity: env_error — python3 is not on PATH" >&2
    return 2
  fi
  out="$(python3 .servo/content-fidelity/score.py "$PWD")" || return 2
  if ! [[ "$out" =~ $number ]]; then
    echo "content-fidelity: env_error — score.py printed something that is not a score" >&2
    return 2
  fi
  out="${{BASH_REMATCH[1]}}"
  if ! LC_ALL=C awk -v x="$out" 'BEGIN {{ exit !(x + 0 >= 0 && x + 0 <= 1) }}'; then
    echo "content-fidelity: env_error — score.py printed $out, which is not in [0,1]" >&2
    return 2
  fi
  printf '%s\n' "$out"
}}
{end}
"""


class CannotSplice(ValueError):
    """oracle.sh does not have the shape that a component can be put into; the message says where."""


@dataclass(frozen=True, slots=True)
class _Script:
    """The lines of a script without their endings, and the ending they have."""

    lines: tuple[str, ...]
    newline: str

    def text(self) -> str:
        return self.newline.join(self.lines)


def _script(text: str) -> _Script:
    crlf = text.count("\r\n")
    if crlf and crlf != text.count("\n"):
        raise CannotSplice("oracle.sh mixes LF and CRLF line endings")
    newline = "\r\n" if crlf else "\n"
    return _Script(tuple(text.split(newline)), newline)


def block(version: str, newline: str, key_added: bool) -> list[str]:
    """The lines of the block. In a CRLF script each line of code ends in a comment, which takes the ``\\r`` in."""
    note = KEY_ADDED + "\n" if key_added else ""
    lines = _BLOCK.format(start=START, end=END, version=version, note=note).splitlines()
    return [line if newline == "\n" or line.startswith("#") else f"{line} #" for line in lines]


def installed(text: str) -> bool:
    """Whether a block stands in the text. Raises CannotSplice for a start without its end, or more than one."""
    return _marks(_script(text)) is not None


def key_was_added(text: str) -> bool:
    """Whether the block says that install.json had no ``components`` before it."""
    script = _script(text)
    marks = _marks(script)
    return marks is not None and KEY_ADDED in script.lines[marks[0] : marks[1]]


def install(text: str, version: str, weight: float, *, key_added: bool) -> str:
    """The script with the block before the driver and the entry active in the array; twice is the same as once.

    Raises CannotSplice, with nothing half done, for a missing anchor, a one-line or missing array, half a block, mixed
    line endings.
    """
    script = _with_entry(_script(text), repr(weight))
    lines, new = list(script.lines), block(version, script.newline, key_added)
    marks = _marks(script)
    if marks is not None:
        lines[marks[0] : marks[1] + 1] = new
    else:
        anchor = _anchor(script)
        lines[anchor:anchor] = new
    return _Script(tuple(lines), script.newline).text()


def uninstall(text: str) -> str:
    """The script without block and entry, unchanged where there is none. Raises CannotSplice for half a block."""
    script = _script(text)
    marks = _marks(script)
    if marks is not None:
        script = _Script((*script.lines[: marks[0]], *script.lines[marks[1] + 1 :]), script.newline)
    return _without_entry(script).text()


def _marks(script: _Script) -> tuple[int, int] | None:
    starts = [i for i, line in enumerate(script.lines) if line.strip() == START]
    ends = [i for i, line in enumerate(script.lines) if line.strip() == END]
    if not starts and not ends:
        return None
    if len(starts) != 1 or len(ends) != 1 or starts[0] > ends[0]:
        raise CannotSplice(
            f"oracle.sh has {len(starts)} start and {len(ends)} end marks of {COMPONENT}, not one of each in order "
            f"(line {(starts or ends)[0] + 1})"
        )
    return starts[0], ends[0]


def _anchor(script: _Script) -> int:
    for index, line in enumerate(script.lines):
        if code(line).strip() == ANCHOR:
            return index
    raise CannotSplice(f"oracle.sh has no line {ANCHOR} before which the component could stand")


def code(line: str) -> str:
    """A shell line without its comment: a ``#`` that starts a word outside quotes."""
    quote = ""
    for index, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "#" and (index == 0 or line[index - 1].isspace()):
            return line[:index]
    return line


def _array(script: _Script) -> tuple[int, int]:
    """First and last line of the COMPONENTS array."""
    openings = [(i, _OPENING.match(code(line))) for i, line in enumerate(script.lines)]
    found = [(index, match) for index, match in openings if match]
    if len(found) != 1:
        raise CannotSplice(f"oracle.sh has {len(found)} COMPONENTS=( arrays, not one")
    start, match = found[0]
    if match["rest"].strip():
        raise CannotSplice(f"COMPONENTS in oracle.sh is not a multi-line array (line {start + 1})")
    for index in range(start + 1, len(script.lines)):
        if ")" in re.sub(r"\"[^\"]*\"|'[^']*'", "", code(script.lines[index])):
            return start, index
    raise CannotSplice(f"COMPONENTS=( in oracle.sh is never closed (line {start + 1})")


def _entries(script: _Script) -> list[tuple[int, re.Match[str]]]:
    """Active entries of the component: where each stands."""
    start, end = _array(script)
    return [
        (index, match) for index in range(start + 1, end + 1) for match in _ENTRY.finditer(code(script.lines[index]))
    ]


def _with_entry(script: _Script, weight: str) -> _Script:
    lines = list(script.lines)
    entries = _entries(script)
    if len(entries) > 1:
        raise CannotSplice(f"COMPONENTS in oracle.sh names {COMPONENT} {len(entries)} times")
    if entries:
        index, match = entries[0]
        lines[index] = lines[index][: match.start()] + f'"{COMPONENT}:{weight}"' + lines[index][match.end() :]
    else:
        lines.insert(_array(script)[0] + 1, f'  "{COMPONENT}:{weight}"')
    return _Script(tuple(lines), script.newline)


def _without_entry(script: _Script) -> _Script:
    try:
        entries = _entries(script)
    except CannotSplice:
        return script  # no array that we could have put an entry into
    lines = list(script.lines)
    for index, match in reversed(entries):
        rest = lines[index][: match.start()] + lines[index][match.end() :].removeprefix(" ")
        if rest.strip():
            lines[index] = rest
        else:
            del lines[index]
    return _Script(tuple(lines), script.newline)
