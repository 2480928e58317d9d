# SPDX-License-Identifier: BSD-3-Clause
"""The examples compare with exact solutions by themselves; the lines at the top of the README do what they say."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import conoid

root = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("example", sorted(p.name for p in (root / "examples").glob("*.py")))
def test_example(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(root / "examples" / example))


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
