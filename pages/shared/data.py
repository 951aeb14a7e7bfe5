"""The only cache: a value is kept as long as the files it was made from have the same (mtime_ns, size, inode).

Values are shared between all visitors and must be frozen. ``st.cache_data`` is not used: it copies what it holds, and
keyed by path alone it served stale text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from core import files
from core.workspace import Workspace

T = TypeVar("T")
_LIMIT = 256


@dataclass(slots=True)
class _Slot:
    version: Hashable = None
    value: Any = None
    filled: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


_slots: OrderedDict[Hashable, _Slot] = OrderedDict()
_slots_lock = threading.Lock()


def version(paths: Iterable[Path]) -> tuple[Hashable, ...]:
    """What the files are now: one stat each; a missing file counts as such."""
    return tuple(files.stamp(path) for path in paths)


def cached(
    load: Callable[..., T], *args: Any, paths: Iterable[Path] = (), extra: Hashable = None, given: tuple[Any, ...] = ()
) -> T:
    """``load(*args, *given)``, computed again only when a file of ``paths`` or ``extra`` changed.

    ``args`` must be hashable, or a Workspace (known by its root and settings). ``given`` is passed on but does not name
    the value (a clock, an open log). Two visitors who ask at once compute once. The stamps are taken before loading, so
    that a change during the load is seen at the next call.
    """
    # A page is run as __main__, like every other page: its file tells its functions from theirs.
    where = load.__code__.co_filename if hasattr(load, "__code__") else load.__module__
    slot = _slot((where, load.__qualname__, tuple(_name(arg) for arg in args)))
    now = (version(paths), extra)
    if slot.filled and slot.version == now:
        return cast(T, slot.value)
    with slot.lock:
        now = (version(paths), extra)
        if not slot.filled or slot.version != now:
            slot.value = load(*args, *given)
            slot.version, slot.filled = now, True
        return cast(T, slot.value)


def _name(arg: Any) -> Hashable:
    return (str(arg.root), repr(arg.settings)) if isinstance(arg, Workspace) else arg


def _slot(key: Hashable) -> _Slot:
    with _slots_lock:
        slot = _slots.setdefault(key, _Slot())
        _slots.move_to_end(key)
        while len(_slots) > _LIMIT:
            _slots.popitem(last=False)
        return slot


def forget() -> None:
    """Empty the cache (tests)."""
    with _slots_lock:
        _slots.clear()
