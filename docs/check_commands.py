#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs every command of one page of the documentation, or checks what all pages say.

    docs/check_commands.py PAGE.md     runs its commands in an empty folder, in their order
    docs/check_commands.py --all       names commands that no test runs, verbs and options that do not exist, keys that are missing
    docs/check_commands.py --readme    runs the command beside verified numbers of README.md (the first of each solver; with CONOID_ALL_ROWS
                                       all) and compares; of its table of speed, that `conoid bench` knows the rows is not checked here,
                                       since a rate wants a quiet machine

In a page, blocks of the language `console` are run, line by line behind "$ "; other lines of theirs are output, and must be among that of
the command above them, but for spaces and for a line "…". Blocks with `:caption: NAME` are files of that name.
Lines that no reader sees say more, and hold for the block behind them:

    % exit: 3               the last command ends with this exit code
    % needs: gmsh           the page goes on only where this program is; else what is left of it is skipped
    % long: WHY             what is left of the page is run by the gate only (CONOID_ALL_ROWS)
    % expect: EXPRESSION    must be true here; number(run, name), table(run, chart), probe(run, words…), apart(run, run, part,
                             field) give results
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

docs = Path(__file__).resolve().parent
program = os.environ.get("CONOID_PROGRAM") or shutil.which("conoid") or "conoid"
fence = re.compile(r"^(`{3,})(.*)$")


def steps(page: Path) -> list[tuple[str, str, int]]:
    """What is to be done: ("file NAME", text), ("exit", "3"), ("needs", …), ("long", …), ("expect", …), ("run", command), ("output", line), ("text", block)."""
    out: list[tuple[str, str, int]] = []
    block: list[str] | None = None
    kind = ""
    begin = 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        match = fence.match(line)
        if match and block is None:
            kind, block, begin = match.group(2).strip(), [], number
        elif match and not match.group(2) and block is not None:
            caption = next((b.split(":caption:")[1].strip() for b in block if b.startswith(":caption:")), None)
            body = [b for b in block if not re.match(r":\w+:", b)]
            if caption:
                out.append((f"file {caption}", "\n".join(body).strip("\n") + "\n", begin))
            elif kind == "console":
                out += [("run", b[2:], begin + i) if b.startswith("$ ") else ("output", b, begin + i) for i, b in enumerate(body, 1) if b.strip()]
            else:
                out.append(("text", "\n".join(body), begin))
            block = None
        elif block is not None:
            block.append(line)
        elif hidden := re.match(r"% (exit|needs|long|expect): (.*)$", line):
            out.append((hidden.group(1), hidden.group(2), number))
    if block is not None:
        raise SystemExit(f"{page}:{begin}: the block is not closed")
    return out


def number(run: str, name: str) -> float:
    return float(json.loads(Path(run, "summary.json").read_text())["numbers"][name]["value"])


def table(run: str, chart: str) -> dict[str, list[float]]:
    lines = [row for row in Path(run, "charts", chart + ".csv").read_text().splitlines() if not row.startswith("#")]
    names = [name.split("[")[0] for name in lines[0].split(",")]
    columns = zip(*([float(v) for v in row.split(",")] for row in lines[1:]))
    return dict(zip(names, map(list, columns)))


def probe(run: str, *words: str) -> dict[str, list[float]]:
    told = json.loads(subprocess.run([program, "probe", run, *words, "--json"], check=True, capture_output=True, text=True).stdout)
    return {c["name"]: [row[i] for row in told["rows"]] for i, c in enumerate(told["columns"])}


def apart(first: str, second: str, part: str, field: str) -> dict[str, float]:
    """What `conoid compare` says of the last frames' field: "largest" difference, "scale", "rms", "rms_scale"."""
    told = json.loads(subprocess.run([program, "compare", first, second, "--json"], check=True, capture_output=True, text=True).stdout)
    return next(row for row in told["fields"] if (row["part"], row["field"]) == (part, field))


def run_page(page: Path) -> int:
    folder = tempfile.mkdtemp(prefix="conoid-docs-")
    environment = dict(os.environ, XDG_CACHE_HOME=folder + "/.cache", XDG_CONFIG_HOME=folder + "/.config", HOME=folder, QT_QPA_PLATFORM="offscreen", TERM="dumb")
    # Containers are entered as root, where Open MPI wants to be asked twice.
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    # The Python that runs this page is `python3` in it: it has NumPy.
    Path(folder, ".bin").mkdir()
    Path(folder, ".bin/python3").symlink_to(sys.executable)
    environment["PATH"] = folder + "/.bin" + os.pathsep + os.path.dirname(os.path.abspath(program)) + os.pathsep + environment["PATH"]
    os.chdir(folder)
    expected = commands = 0
    said: list[str] = []
    try:
        found = steps(page)
        for position, (kind, text, line) in enumerate(found):
            if kind.startswith("file "):
                Path(kind[5:]).write_text(text, encoding="utf-8")
            elif kind == "needs" and shutil.which(text, path=environment["PATH"]) is None:
                print(f"{page.name}:{line}: there is no {text}: the rest of the page was not run")
                break
            elif kind == "long" and "CONOID_ALL_ROWS" not in os.environ:
                print(f"{page.name}:{line}: {text}: the rest of the page was left to the gate")
                break
            elif kind == "exit":
                expected = int(text)
            elif kind == "expect":
                value = eval(text, {**vars(math), "number": number, "table": table, "probe": probe, "apart": apart})  # noqa: S307: our own pages
                if not value:
                    print(f"{page}:{line}: is not so: {text}")
                    return 1
            elif kind == "output":
                if text.strip() != "…" and " ".join(text.split()) not in said:
                    print(f"{page}:{line}: the command above does not say this line:\n{text}\nbut:\n" + "\n".join(said))
                    return 1
            elif kind == "run":
                done = subprocess.run(["bash", "-c", text], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", stdin=subprocess.DEVNULL)
                # Of a block that ends with an exit code, it is that of the last command.
                after = position + 1
                while after < len(found) and found[after][0] == "output":
                    after += 1
                last = after == len(found) or found[after][0] != "run" or found[after][2] != line + after - position
                wanted = expected if last else 0
                if done.returncode != wanted:
                    print(f"{page}:{line}: $ {text}\nended with {done.returncode}, expected {wanted}:\n{done.stdout}")
                    return 1
                said = [" ".join(row.split()) for row in done.stdout.splitlines()]
                commands += 1
                expected = 0 if last else expected
        print(f"{page.name}: {commands} commands")
        return 0
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


def check_readme() -> int:
    """The rows of README's table of verified numbers: | what | value | source | `conoid verify SOLVER … --only "row"` |."""
    wrong: list[str] = []
    rows = re.findall(r"^\|([^|]*)\| ([-+0-9.e]+) ?(%|dB)? \|[^|]*\| `conoid (verify [^`]*)` \|$", (docs.parent / "README.md").read_text(encoding="utf-8"), re.M)
    if len(rows) < 10:
        wrong.append(f"README.md: {len(rows)} verified numbers were found: the check looks in the wrong place")
    solvers = {s["id"] for s in json.loads(told("list", "--json"))["solvers"]}
    solvers -= {shlex.split(command)[1] for *_, command in rows}
    wrong += [f"README.md: no verified number of {solver}" for solver in sorted(solvers)]
    if "CONOID_ALL_ROWS" not in os.environ:
        rows = list({shlex.split(row[3])[1]: row for row in reversed(rows)}.values())
    for what, value, unit, command in rows:
        done = subprocess.run([program, *shlex.split(command), "--json"], capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)["rows"] if done.returncode == 0 else []
        if not found:
            wrong.append(f"README.md: conoid {command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
            continue
        expected = float(value) * (0.01 if unit == "%" else 1)
        computed = found[0]["value"]
        # What is round-off differs from processor to processor; all else by the last digit that is written.
        if not (abs(computed) < 5 * abs(expected) if abs(expected) < 1e-9 else abs(computed - expected) < 0.05 * abs(expected)):
            wrong.append(f"README.md says {value} {unit} of{what}, conoid {command}: {computed:.4g}")
    print("\n".join(wrong) or f"README.md: {len(rows)} verified numbers are what their commands say")
    return 1 if wrong else 0


def told(*words: str) -> str:
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def keys_of_schema(node: Any, path: tuple[str, ...], fragments: Any) -> set[tuple[str, ...]]:
    """Every key below a place of a schema as it is written in the sources, not as the program tells it. `fragments`: of "use"."""
    out: set[tuple[str, ...]] = set()
    if isinstance(node, list):
        for item in node:
            out |= keys_of_schema(item, path, fragments)
    elif isinstance(node, dict):
        for word, value in node.items():
            if word == "properties":
                for name, below in value.items():
                    deeper = keys_of_schema(below, (*path, name), fragments)
                    out |= deeper or {(*path, name)}
            elif word in ("items", "map"):
                out |= keys_of_schema(value, (*path, "*"), fragments)
            elif word == "use":
                out |= keys_of_schema(fragments[value], path, fragments)
            elif word not in ("default", "required", "enum", "fragments"):
                out |= keys_of_schema(value, path, fragments)
    return out


def check_all() -> int:
    wrong: list[str] = []
    help_of = {verb: told("help", verb) for verb in re.findall(r"^  ([a-z]+) {2,}", told("help").split("Subcommands:")[1], re.M)}
    renderer = Path(program).resolve().with_name("conoid-render")
    if renderer.is_file():
        drawn = subprocess.run([str(renderer), "--help"], capture_output=True, text=True, check=True).stdout
        for verb in ("render", "chart"):
            help_of[verb] += drawn
    solvers = [s["id"] for s in json.loads(told("list", "--json"))["solvers"]]
    pages = sorted(docs.rglob("*.md"))
    seen = 0
    for page in pages:
        name = page.relative_to(docs)
        found = steps(page)
        for kind, text, line in found:
            if kind == "text":
                for row in text.splitlines():
                    if re.match(r"\s*(\$ )?conoid\b", row):
                        wrong.append(f"{name}:{line}: no test runs '{row.strip()}': write it in a block of the language console")
        prose = page.read_text(encoding="utf-8")
        # A block that is to end with 2 shows a wrong command line.
        lines = [text for i, (kind, text, _) in enumerate(found) if kind == "run" and (i == 0 or found[i - 1][:2] != ("exit", "2"))]
        for call in [*re.findall(r"`(conoid [^`]+)`", prose), *lines]:
            for verb, rest in re.findall(r"\bconoid ([a-z]+)([^|;&>]*)", call):
                if verb not in help_of and verb != "help":
                    wrong.append(f"{name}: there is no verb in '{call}'")
                    continue
                seen += 1
                for option in re.findall(r"(?<=\s)--[a-z-]+", rest if not rest.strip().startswith('"') else ""):
                    if not re.search(re.escape(option) + r"(?![a-z-])", help_of.get(verb, "")) and option not in ("--help",) and "mpirun" not in rest:
                        wrong.append(f"{name}: conoid {verb} has no {option}: '{call}'")
    # One version, which CMakeLists.txt says and the program tells.
    version = json.loads(told("--version", "--json"))["version"]
    for file, pattern in (("python/pyproject.toml", r'^version = "(.*)"'), ("python/conoid/__init__.py", r'^__version__ = "(.*)"'), ("CITATION.cff", r"^version: (.*)")):
        if re.findall(pattern, (docs.parent / file).read_text(encoding="utf-8"), re.M) != [version]:
            wrong.append(f"{file}: its version is not that of the program, {version}")
    # Links and pictures of the pages that no Sphinx looks at.
    for page in (*docs.parent.glob("*.md"), *docs.parent.glob(".github/*.md"), *docs.parent.glob("python/*.md")):
        text = page.read_text(encoding="utf-8")
        for target in [*re.findall(r"\]\(([^)#\s]+)[^)]*\)", text), *re.findall(r'<img src="([^"]+)"', text)]:
            if not re.match(r"https?:|mailto:", target) and not (page.parent / target).exists():
                wrong.append(f"{page.relative_to(docs.parent)}: there is no {target}")
    if seen < 50:
        wrong.append(f"hardly any command was found ({seen}): the check looks in the wrong place")
    # The generated reference against the schemas themselves.
    folder = Path(tempfile.mkdtemp(prefix="conoid-docs-"))
    try:
        subprocess.run([sys.executable, str(docs / "generate.py"), str(folder / "pages"), "--no-pictures"], check=True)
        root = docs.parent
        shared = json.loads((root / "engine/case/common.json").read_text())
        common = keys_of_schema(shared, (), shared["fragments"])
        for solver in solvers:
            page = (folder / "pages/reference" / f"keys-{solver}.md").read_text(encoding="utf-8")
            rows = re.findall(r'^\| <span id="[^"]*"></span>`(/[^`]*)` \| ([^|]*)', page, re.M)
            listed = {tuple(key.split("/")[1:]) for key, _ in rows}
            schema = json.loads((root / "engine/solvers" / solver.replace("-", "_") / "parameters.json").read_text())
            left_out = {name for name, part in schema["properties"].items() if part is False}  # parts that this solver has not
            own = {k for k in keys_of_schema(schema, (), shared["fragments"]) if k[0] not in left_out}
            mine = {k for k in common if k[0] not in left_out}
            # A list of numbers is one key, where the schema has one more step.
            for key in sorted(own | mine):
                while key and key[-1] == "*":
                    key = key[:-1]
                if key not in listed and not any(k[: len(key)] == key for k in listed):
                    wrong.append(f"keys-{solver}: /{'/'.join(key)} is missing")
            if len(rows) < 20:
                wrong.append(f"keys-{solver}: has {len(rows)} keys only")
        for page_name in ("index.md", *(f"{k}/{s}.md" for k in ("tutorials", "theory") for s in solvers)):
            if not (folder / "pages" / page_name).is_file():
                wrong.append(f"there is no page {page_name}")
        # What the guide says of streaming, against the solvers' own table of phases.
        streams = (docs / "guide/out-of-core.md").read_text(encoding="utf-8")
        for solver in solvers:
            windows = any(p["windows"] for p in json.loads(told("list", solver, "--json"))["phases"])
            rows = [row for row in streams.splitlines() if row.startswith("| `") and f"`{solver}`" in row]
            if len(rows) != 1 or windows == ("| nothing" in rows[0]):
                wrong.append(f"out-of-core.md: {solver} has {'windows' if windows else 'no windows'}, its row says otherwise")
        commands = (folder / "pages/reference/commands.md").read_text(encoding="utf-8")
        wrong += [f"commands.md: {verb} is missing" for verb in help_of if f"## conoid {verb}\n" not in commands]
        if "| 75 |" not in (folder / "pages/troubleshooting.md").read_text(encoding="utf-8"):
            wrong.append("troubleshooting.md: exit codes are missing")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(wrong) or f"{len(pages)} pages, {seen} calls of conoid: all are run or known")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(check_readme() if sys.argv[1] == "--readme" else check_all() if sys.argv[1] == "--all" else run_page(Path(sys.argv[1]).resolve()))
