# SPDX-License-Identifier: BSD-3-Clause
"""The examples compare with exact solutions by themselves; the lines at the top of the README do what they say.

Notebooks are executed by nbclient in a kernel of their own where Debian's python3-nbclient and python3-ipykernel are installed, else cell
by cell in this interpreter.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import conoid

root = Path(__file__).resolve().parent.parent
of_all_rows = pytest.mark.skipif("CONOID_ALL_ROWS" not in os.environ, reason="of all rows: see tests/all_rows.hpp")


@of_all_rows
@pytest.mark.parametrize("example", sorted(p.name for p in (root / "examples").glob("*.py")))
def test_example(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(root / "examples" / example))


def notebooks() -> list[str]:
    return sorted(p.name for p in (root / "examples").glob("*.ipynb"))


def test_there_is_a_notebook_for_each_solver() -> None:
    told = "\n".join((root / "examples" / name).read_text(encoding="utf-8") for name in notebooks())
    assert [s.id for s in conoid.solvers() if f"({s.id})" not in told] == []


@of_all_rows
@pytest.mark.parametrize("notebook", notebooks())
def test_notebook(notebook: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    file = root / "examples" / notebook
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    # As they are kept: no outputs, which nobody could review.
    assert all(not c.get("outputs") and c.get("execution_count") is None for c in cells)
    if importlib.util.find_spec("nbclient") and importlib.util.find_spec("ipykernel"):
        import nbclient
        import nbformat

        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]))
        monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        read = nbformat.read(file, as_version=4)
        nbclient.NotebookClient(read, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
        pictures = [o for c in read.cells if c.cell_type == "code" for o in c.outputs if "image/png" in o.get("data", {})]
        assert pictures, "no picture was drawn"
        return
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{notebook}:{cell['id']}", "exec"), names)


def test_the_lines_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n)+", (root / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    lines = next(block for block in blocks if "import conoid" in block)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile("\n".join(line[4:] for line in lines.splitlines()), "README.md", "exec"), names)
    run = names["run"]
    assert isinstance(run, conoid.Run)
    assert run.tables["receivers"]["t"][-1] >= 0.1
    assert np.max(np.abs(run.frames[-1]["plane xz"]["pressure"])) > 0
