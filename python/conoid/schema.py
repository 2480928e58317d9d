# SPDX-License-Identifier: BSD-3-Clause
"""The keys of a solver's case, as `conoid list SOLVER --json` tells them: what each takes, its unit, its default."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .errors import InvalidInput
from .program import ask, program
from .units import Unit, parse_unit


@dataclass(frozen=True)
class Key:
    """One key of a case. In `pointer`, "*" stands for any item of a list or any name of a map."""

    pointer: str
    takes: str  #: in words: "a number in m, above 0 m"
    unit: str  #: empty: none
    default: Any
    title: str
    description: str
    when: str  #: "kind = plane": holds for this form only; empty: always
    mandatory: bool
    formerly: tuple[str, ...] = ()  #: what its last step was called before

    @property
    def is_file(self) -> bool:
        return bool(re.match(r"the name of an? \w+ file$", self.takes))

    def unit_of_values(self) -> Unit | None:
        """The unit of the number, or of the numbers of a list; None: it takes no numbers with a unit."""
        text = self.unit
        if not text:
            match = re.match(r"a list of .*numbers in (\S.*?)(?:,|$)", self.takes)
            text = match.group(1) if match else ""
        if not text:
            return None
        try:
            return parse_unit(text)
        except InvalidInput:
            return None  # a unit of a later version: the program checks it


Path = tuple[str, ...]


def split(pointer: str) -> Path:
    """Steps of "/a/b", "a.b" or "a/b"."""
    if pointer.startswith("/"):
        return tuple(step for step in pointer[1:].split("/"))
    return tuple(step for step in re.split(r"[./]", pointer))


def fits(path: Path, pattern: Path) -> bool:
    return len(path) == len(pattern) and all(p in ("*", s) for s, p in zip(path, pattern))


class Schema:
    """All keys of one solver's case."""

    def __init__(
        self,
        solver: str,
        title: str,
        summary: str,
        keys: list[Key],
        renamed: Iterable[tuple[str, Sequence[str]]] = (),
    ) -> None:
        self.solver = solver
        self.title = title
        self.summary = summary
        self.keys = keys
        self._patterns = [(split(k.pointer), k) for k in keys]
        self._former: dict[str, list[tuple[Path, str]]] = {}  # a former name: where it stood, and what it is now
        for pointer, names in renamed:
            pattern = split(pointer)
            for name in names:
                self._former.setdefault(name, []).append((pattern[:-1], pattern[-1]))

    def _now(self, path: Path) -> Path:
        """The path as its steps are called now."""
        if self._former.keys().isdisjoint(path):
            return path
        out = path
        for n, step in enumerate(path):
            for above, name in self._former.get(step, ()):
                if fits(out[:n], above):
                    out = (*out[:n], name, *out[n + 1 :])
        return out

    def other_names(self, path: Path) -> list[str]:
        """What the last step of this place is called besides: a key that was renamed is read under its former names as well."""
        above, names = self._now(path)[:-1], []
        for former, places in self._former.items():
            for where, now in places:
                if fits(above, where) and now == self._now(path)[-1]:
                    names += [former, now]
        return [name for name in dict.fromkeys(names) if name != path[-1]]

    def at(self, path: Path) -> list[Key]:
        """Keys that fit this place: several where forms of a choice share a name."""
        now = self._now(path)
        return [key for pattern, key in self._patterns if fits(now, pattern)]

    def children(self, path: Path) -> list[str]:
        """Names that may stand below this place; "*" for lists and maps."""
        n, now = len(path), self._now(path)
        return list(dict.fromkeys(p[n] for p, _ in self._patterns if len(p) > n and fits(now, p[:n])))

    def require(self, path: Path) -> None:
        """Raises InvalidInput for a place that no case of this solver has."""
        if self.at(path) or self.children(path):
            return
        for depth in range(len(path)):
            known = self.children(path[:depth])
            if "*" in known or path[depth] in known:
                continue
            if not known:  # below a leaf: a list of numbers, or a text
                return
            near = difflib.get_close_matches(path[depth], known, 1)
            where = "/" + "/".join(path[: depth + 1])
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise InvalidInput(f"{where}: unknown key '{path[depth]}'{meant}\n  Known here: {', '.join(known)}.")

    def __repr__(self) -> str:
        return f"<keys of {self.solver}: {len(self.keys)}>"


@lru_cache(maxsize=32)
def _schema(which: str, solver: str) -> Schema:
    told = ask(["list", solver])
    keys = [
        Key(
            pointer=k["key"],
            takes=k["takes"],
            unit=k.get("unit", ""),
            default=k.get("default"),
            title=k.get("title", ""),
            description=k.get("description", ""),
            when=k.get("when", ""),
            mandatory=bool(k.get("mandatory", False)),
            formerly=tuple(k.get("formerly", ())),
        )
        for k in told["keys"]
    ]
    renamed = [(r["key"], r["formerly"]) for r in told["renamed"]]
    return Schema(told["id"], told["title"], told["summary"], keys, renamed)


def schema(solver: str) -> Schema:
    """The keys of this solver's case."""
    return _schema(program(), solver)
