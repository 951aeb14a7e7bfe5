"""Reading tolerantly and writing safely: bytes to records with their places, and the only code that writes.

| module | what |
|---|---|
| `read`   | bytes and text: encodings, BOM, line endings |
| `json_`  | strict JSON, and an object found inside chat text |
| `jsonl`  | JSON Lines: damaged lines, append, tail |
| `jsontext` | members and elements of a JSON text changed in place |
| `yaml_`  | YAML with scalars as written |
| `write`  | compare-and-swap replacement under a lock |
| `ops`    | the file changes a decision makes, each safe to repeat |
"""

from core.errors import Problem
from core.files.json_ import Recovered, parse_json, read_json, recover_json
from core.files.jsonl import JsonLine, JsonLines, JsonlTail, append_jsonl, parse_jsonl, read_jsonl
from core.files.read import Stamp, TextFile, decode, read_bytes, read_text, stamp
from core.files.write import Lock, folder_lock, replace, write_new
from core.files.yaml_ import YamlDoc, parse_yaml, read_yaml

__all__ = [
    "JsonLine",
    "JsonLines",
    "JsonlTail",
    "Lock",
    "Problem",
    "Recovered",
    "Stamp",
    "TextFile",
    "YamlDoc",
    "append_jsonl",
    "decode",
    "folder_lock",
    "parse_json",
    "parse_jsonl",
    "parse_yaml",
    "read_bytes",
    "read_json",
    "read_jsonl",
    "read_text",
    "read_yaml",
    "recover_json",
    "replace",
    "stamp",
    "write_new",
]
