# SPDX-License-Identifier: BSD-3-Clause
"""What can go wrong: the messages of the program as objects, one class of exception for each of its exit codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """One message: where, what was expected and found, and what to do about it."""

    severity: str  #: "note", "warning" or "error"
    text: str
    hint: str = ""
    code: int = 0  #: the exit code that it leads to
    file: str = ""
    line: int = 0  #: counts from 1; 0: not known
    pointer: str = ""  #: the key of the case, "/grid/spacing"

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> Diagnostic:
        """Of one member of "diagnostics" in the program's JSON."""
        return cls(
            severity=str(item.get("severity", "error")),
            text=str(item.get("text", "")),
            hint=str(item.get("hint", "")),
            code=int(item.get("code", 0)),
            file=str(item.get("file", "")),
            line=int(item.get("line", 0)),
            pointer=str(item.get("pointer", "")),
        )

    def __str__(self) -> str:
        where = self.file + (f":{self.line}" if self.line else "")
        out = ": ".join(part for part in (where, self.pointer, self.text) if part)
        return f"{out}\n  {self.hint}" if self.hint else out


class ConoidError(Exception):
    """The program, or this package, refused. `exit_code` is the program's; `diagnostics` are its messages."""

    exit_code = 1

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = (), exit_code: int | None = None) -> None:
        super().__init__(text)
        self.diagnostics = tuple(diagnostics)
        if exit_code is not None:
            self.exit_code = exit_code


class InternalError(ConoidError):
    """Exit code 1: a bug, or a program that was ended by a signal."""


class CommandLineError(ConoidError):
    """Exit code 2: the command line is wrong."""

    exit_code = 2


class InvalidInput(ConoidError):
    """Exit code 3: the case or its mesh is not valid. Also raised here, before any program runs: unknown keys, wrong units."""

    exit_code = 3


class FileError(ConoidError):
    """Exit code 4: a file cannot be read or written."""

    exit_code = 4


class NotConverged(ConoidError):
    """Exit code 5: not converged, or a check failed. What was computed is kept."""

    exit_code = 5


class ResourcesError(ConoidError):
    """Exit code 6: no memory, no such device, or a program (gmsh) is missing."""

    exit_code = 6


class RemoteError(ConoidError):
    """Exit code 7: a remote machine or MPI failed."""

    exit_code = 7


class Stopped(ConoidError):
    """Exit code 75: stopped on request; `Run.resume` goes on from the checkpoint."""

    exit_code = 75


class ProgramNotFound(ConoidError):
    """There is no command `conoid`."""

    exit_code = 2


_classes: dict[int, type[ConoidError]] = {
    c.exit_code: c
    for c in (InternalError, CommandLineError, InvalidInput, FileError, NotConverged, ResourcesError, RemoteError, Stopped)
}


def error_for(exit_code: int, diagnostics: Sequence[Diagnostic], otherwise: str = "") -> ConoidError:
    """The exception for an exit code. Its text is that of the errors among the messages, or `otherwise`."""
    texts = [str(d) for d in diagnostics if d.severity == "error"]
    text = "\n".join(dict.fromkeys(texts)) or otherwise or f"conoid ended with exit code {exit_code}"
    return _classes.get(exit_code, InternalError)(text, diagnostics, exit_code)
