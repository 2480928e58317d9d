# SPDX-License-Identifier: BSD-3-Clause
"""The command `conoid`: where it is, and how it is asked. All that this package computes is computed by it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .errors import CommandLineError, Diagnostic, InternalError, ProgramNotFound, error_for

_chosen: str | None = None


def use_program(path: str | os.PathLike[str] | None) -> None:
    """Which `conoid` is called from now on; None: $CONOID_PROGRAM, or the one on the PATH."""
    global _chosen
    _chosen = None if path is None else os.fspath(path)


def program() -> str:
    """The command that is called: of use_program(), else $CONOID_PROGRAM, else on the PATH."""
    named = _chosen or os.environ.get("CONOID_PROGRAM")
    found = shutil.which(named or "conoid")
    if found is None:
        raise ProgramNotFound(
            f"there is no program '{named or 'conoid'}'\n  Install Conoid, or name it: conoid.use_program(path), or CONOID_PROGRAM."
        )
    return found


def diagnostics_in(answer: Any) -> list[Diagnostic]:
    """All messages of a JSON answer: "diagnostics" and "error", each once."""
    out: list[Diagnostic] = []
    if isinstance(answer, dict):
        items = list(answer.get("diagnostics") or [])
        if isinstance(answer.get("error"), dict):
            items.append(answer["error"])
        for item in items:
            diagnostic = Diagnostic.of(item)
            if diagnostic not in out:
                out.append(diagnostic)
    return out


def ask(words: Sequence[str], *, accept: Sequence[int] = (0,), cwd: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Calls `conoid WORDS… --json` and returns its object. Exit codes that are not accepted raise the exception of that code."""
    command = [program(), *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", cwd=cwd, check=False)
    return answer_of(done.returncode, done.stdout, done.stderr, accept)


def answer_of(code: int, out: str, err: str, accept: Sequence[int] = (0,)) -> dict[str, Any]:
    """The object that a call printed, or the exception for how it ended."""
    try:
        answer = json.loads(out) if out.strip() else {}
    except ValueError:
        raise InternalError(f"conoid did not answer with JSON: {out[:200]!r}", exit_code=code) from None
    if code not in accept:
        if code < 0:
            raise InternalError(f"conoid was ended by signal {-code}", diagnostics_in(answer), code)
        raise error_for(code, diagnostics_in(answer), err.strip())
    if not isinstance(answer, dict):
        raise InternalError("conoid answered with JSON of another form", exit_code=code)
    return answer


def version() -> dict[str, Any]:
    """What the program is made of: `conoid --version --json`."""
    return ask(["--version"])


@dataclass(frozen=True)
class SolverInfo:
    """A solver of the program: its id, what it solves, who computes each phase."""

    id: str
    title: str
    summary: str
    phases: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class SampleInfo:
    """A sample case that came with the program; `seconds` is about what it takes, None where nobody has measured it."""

    name: str
    path: Path
    solver: str
    title: str
    summary: str
    seconds: float | None


@lru_cache(maxsize=8)
def _listed(which: str) -> dict[str, Any]:
    return ask(["list"])


def solvers() -> list[SolverInfo]:
    """The solvers of the program."""
    return [
        SolverInfo(s["id"], s["title"], s["summary"], tuple(s["phases"])) for s in _listed(program())["solvers"]
    ]


def samples() -> list[SampleInfo]:
    """The sample cases that came with the program; Case.sample(name) opens one."""
    return [
        SampleInfo(c["name"], Path(c["path"]), c["solver"], c["title"], c["summary"], c["seconds"])
        for c in _listed(program())["cases"]
    ]


def require(condition: bool, text: str) -> None:
    """Refuses arguments that no command line could say."""
    if not condition:
        raise CommandLineError(text)
