"""YAML with its scalars as written (contract README, "YAML scalars are taken as written")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core.errors import BadInput, Problem
from core.files.read import decode, read_bytes

_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class YamlDoc:
    """A document whose scalars are all text (``"16:9"``, ``"3.10"``, ``"no"``); an empty plain scalar is None.

    ``problems`` points out text after `` #`` that YAML dropped from a line with a value.
    """

    value: Any
    problems: list[Problem]


def parse_yaml(raw: bytes, file: str) -> YamlDoc:
    """Read one YAML document.

    Raises BadInput, with its line, for duplicate keys, aliases and merge keys (a hidden copy is not what was written),
    tags, more than one document, or text that is not YAML or not UTF-8.
    """
    decoded = decode(raw, file)
    if not decoded.complete:
        raise BadInput(decoded.problems[0])
    try:
        nodes = list(YAML(typ="rt", pure=True).compose_all(decoded.text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadInput.of(file, f"not YAML: {error.problem}", line=mark.line + 1 if mark else None) from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise BadInput.of(file, f"not YAML: {' '.join(str(error).split())[:200]}") from None
    if len(nodes) > 1:
        raise BadInput.of(file, "more than one YAML document", line=nodes[1].start_mark.line + 1)
    problems: list[Problem] = []
    value = _value(nodes[0], file, problems, decoded.text.splitlines(), set(), 0) if nodes and nodes[0] else None
    return YamlDoc(value, problems)


def read_yaml(path: Path, file: str | None = None) -> YamlDoc:
    """Read a YAML file. Raises BadInput as `parse_yaml` and `read_bytes` do."""
    label = file or str(path)
    return parse_yaml(read_bytes(path, label), label)


def _value(node: Node, file: str, problems: list[Problem], lines: list[str], seen: set[int], depth: int) -> Any:
    line = node.start_mark.line + 1
    if id(node) in seen:
        raise BadInput.of(file, "an alias: the value is a hidden copy of another", line=line)
    seen.add(id(node))
    if depth > _DEEPEST:
        raise BadInput.of(file, f"nested deeper than {_DEEPEST} levels", line=line)
    if isinstance(node, MappingNode):
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = _key(key_node, file)
            if key in made:
                raise BadInput.of(file, f"key {key!r} stands twice", line=key_node.start_mark.line + 1)
            made[key] = _value(value_node, file, problems, lines, seen, depth + 1)
        return made
    if isinstance(node, SequenceNode):
        return [_value(item, file, problems, lines, seen, depth + 1) for item in node.value]
    if not isinstance(node, ScalarNode):
        raise BadInput.of(file, "a node that is neither text, list nor mapping", line=line)
    return _scalar(node, file, problems, lines)


def _key(node: Node, file: str) -> str:
    if not isinstance(node, ScalarNode):
        raise BadInput.of(file, "a key that is not a plain word", line=node.start_mark.line + 1)
    if node.value == "<<":
        raise BadInput.of(file, "a merge key: its values would be hidden copies", line=node.start_mark.line + 1)
    return str(node.value)


def _scalar(node: ScalarNode, file: str, problems: list[Problem], lines: list[str]) -> str | None:
    plain = node.style is None
    if plain and node.start_mark.line == node.end_mark.line and node.start_mark.line < len(lines):
        rest = lines[node.start_mark.line][node.end_mark.column :]
        if re.match(r"\s+#", rest) and node.value:
            reason = f"text after ' #' is a comment and not part of the value {node.value!r}: {rest.strip()[:80]!r}"
            problems.append(Problem(file, reason, line=node.start_mark.line + 1))
    return None if plain and node.value == "" else str(node.value)
