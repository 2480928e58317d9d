# SPDX-License-Identifier: BSD-3-Clause
"""Conoid from Python: cases as objects with units, runs in processes of their own, results as NumPy arrays.

All is computed by the command `conoid`, which is found on the PATH, by $CONOID_PROGRAM or by use_program().

    import conoid
    from conoid.units import m, s

    case = conoid.Case.sample("point-source")
    case.parameters.end_time = 0.1 * s
    run = case.run("runs/short")
    run.tables["receivers"]["surface"], run.frames[-1]["plane xz"]["pressure"]
"""

from . import units
from .case import Case, Check, Estimate
from .errors import (
    CommandLineError,
    ConoidError,
    Diagnostic,
    FileError,
    InternalError,
    InvalidInput,
    NotConverged,
    ProgramNotFound,
    RemoteError,
    ResourcesError,
    Stopped,
)
from .fields import FieldInfo, Frame, Frames, Part
from .mesh import write_mesh
from .program import SampleInfo, SolverInfo, program, samples, solvers, use_program, version
from .run import Number, Progress, Run, Running, find_runs, start
from .schema import Key, Schema, schema
from .sweep import Point, Sweep, submit, sweep
from .tables import Table, Tables
from .units import Quantity, Unit, quantity

__version__ = "0.1.0"

__all__ = [
    "Case", "Check", "CommandLineError", "ConoidError", "Diagnostic", "Estimate", "FieldInfo", "FileError", "Frame", "Frames",
    "InternalError", "InvalidInput", "Key", "NotConverged", "Number", "Part", "Point", "ProgramNotFound", "Progress", "Quantity",
    "RemoteError", "ResourcesError", "Run", "Running", "SampleInfo", "Schema", "SolverInfo", "Stopped", "Sweep", "Table", "Tables",
    "Unit", "find_runs", "program", "quantity", "samples", "schema", "solvers", "start", "submit", "sweep", "units", "use_program",
    "version", "write_mesh",
]  # fmt: skip
