#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills a folder with everything that Sphinx reads: the pages of docs/, and those whose text stands elsewhere already.

    docs/generate.py FOLDER [--no-pictures]    calls the `conoid` of $CONOID_PROGRAM, or of the PATH

Made of what the program says (`conoid list`, `conoid help`): keys of all cases, commands, solvers, samples, exit codes. Copied from
where they are kept: the solvers' READMEs (theory), the READMEs of Python, windows and devices, Python's examples, SECURITY.md, CHANGELOG.md. Nothing
of it is written down a second time.

Lines of the pages in docs/ that are replaced: "% exit codes" and "% solvers" by tables, "% picture: NAME WORDS" by the picture NAME of
pictures() below. Where conoid-render does not lie beside the program there are none. The same program makes the same bytes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

docs = Path(__file__).resolve().parent
root = docs.parent


def ask(*words: str) -> str:
    program = os.environ.get("CONOID_PROGRAM") or "conoid"
    return subprocess.run([program, *words], check=True, capture_output=True, text=True, encoding="utf-8").stdout


def told(*words: str) -> Any:
    return json.loads(ask(*words, "--json"))


def cell(text: str) -> str:
    """Text that may stand in a table."""
    return re.sub(r"\s+", " ", text).replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")


def code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def keys_page(solver: dict[str, Any]) -> str:
    """The reference of one solver's case: a section for each part, a table with a row for each key."""
    out = [f"# Keys of {solver['id']}", "", solver["summary"], ""]
    out += [
        f"A bare number is in the unit that is named. `*` stands for any item of a list, or for a name. `conoid help {solver['id']}` prints the same.",
        "",
    ]
    part = None
    choosers = {key["key"] for key in solver["keys"] if key["key"].split("/")[-1] == "kind"}
    for key in solver["keys"]:
        steps = key["key"].split("/")[1:]
        # What has no parts of its own stands together.
        belongs = steps[0] if len(steps) > 1 else "General"
        if belongs != part:
            part = belongs
            out += ["", f"## {part}", "", "| key | takes | default | meaning |", "|---|---|---|---|"]
        default = json.dumps(key["default"], ensure_ascii=False) if "default" in key else ("*must be given*" if key.get("mandatory") else "")
        shown = code(default) if default and not default.startswith("*") else default
        takes = cell(key["takes"])
        if key.get("unit") not in (None, "", "1") and key["unit"] not in key["takes"]:
            takes += f", {cell(key['unit'])}"
        meaning = cell(" ".join(t for t in (key.get("description", ""),) if t)) or cell(key.get("title", ""))
        if not meaning and key["key"] in choosers:
            meaning = "Chooses which of the keys beside it apply."
        if key.get("when"):
            meaning = f"({cell(key['when'])}) {meaning}"
        # The window opens the page at a key: its path is the anchor.
        out.append(f"| <span id=\"{key['key']}\"></span>{code(key['key'])} | {takes} | {shown} | {meaning} |")
    return "\n".join(out) + "\n"


def solvers_page(solvers: list[dict[str, Any]]) -> str:
    out = ["# Solvers, and who computes what", "", "Processors of one machine compute every phase. What computes it besides, and where data may lie that do not fit into memory:", ""]
    for solver in solvers:
        out += [f"## {solver['id']}", "", f"{solver['title']}. {solver['summary']}", "", "| phase | a device | several | ranks | windows |", "|---|---|---|---|---|"]
        for p in solver["phases"]:
            marks = ["yes" if p[word] else "" for word in ("device", "devices", "ranks")]
            out.append(f"| {p['phase']} | {' | '.join(marks)} | {p['windows'] or ''} |")
        out.append("")
    return "\n".join(out)


def solvers_table(solvers: list[dict[str, Any]]) -> list[str]:
    out = ["| solver | computes | start with |", "|---|---|---|"]
    for s in solvers:
        out.append(f"| [{s['id']}](theory/{s['id']}.md) | {cell(s['title'])}. {cell(s['summary'])} | [tutorial](tutorials/{s['id']}.md), [keys](reference/keys-{s['id']}.md) |")
    return out


def pictures(folder: Path) -> set[str]:
    """Pictures that the programs beside `conoid` draw of a sample: pressure.png, in `folder`. Returns their names."""
    program = Path(shutil.which(os.environ.get("CONOID_PROGRAM") or "conoid") or "")
    renderer = program.with_name("conoid-render")
    made: set[str] = set()
    if not renderer.is_file():
        return made
    with tempfile.TemporaryDirectory(prefix="conoid-docs-") as work:
        # Settings and recent files of whoever calls this are neither read nor written.
        environment = dict(os.environ, HOME=work, XDG_CACHE_HOME=work, XDG_CONFIG_HOME=work, XDG_RUNTIME_DIR=work, QT_QPA_PLATFORM="offscreen")

        def call(*words: str | Path) -> None:
            done = subprocess.run([str(w) for w in words], cwd=work, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"generate.py: {' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")

        call(program, "new", "point-source")
        call(program, "run", "point-source", "--set", "parameters.end_time=0.4s", "--deterministic", "--out", "first", "--progress", "none")
        call(renderer, "first", "--field", "pressure", "--size", "640x480", "-o", folder / "pressure.png")
        made.add("pressure.png")
    return made


def samples_page(samples: list[dict[str, Any]]) -> str:
    out = ["# Sample cases", "", "`conoid new NAME` copies one into a folder of your own; the gallery of the window shows them with pictures. Seconds are those of two cores.", "", "| name | solver | seconds | what it shows |", "|---|---|---|---|"]
    for s in samples:
        out.append(f"| `{s['name']}` | `{s['solver']}` | {s['seconds'] or ''} | {cell(s['title'])}. {cell(s['summary'])} |")
    return "\n".join(out) + "\n"


def verbs() -> list[str]:
    text = ask("help")
    return re.findall(r"^  ([a-z]+) {2,}", text[text.index("Subcommands:") :], re.MULTILINE)


def commands_page() -> str:
    out = ["# Commands", "", "What `conoid help VERB` says. `conoid manual` prints the same as manual pages, which packages install.", ""]
    out += ["## conoid", "", "```text", ask("help").strip(), "```", ""]
    for verb in verbs():
        out += [f"## conoid {verb}", "", "```text", ask("help", verb).strip(), "```", ""]
    renderer = Path(shutil.which(os.environ.get("CONOID_PROGRAM") or "conoid") or "").with_name("conoid-render")
    if renderer.is_file():
        text = subprocess.run([str(renderer), "--help"], check=True, capture_output=True, text=True).stdout
        out += ["## conoid-render", "", "Which `conoid render` calls.", "", "```text", text.strip(), "```", ""]
    return "\n".join(out)


def exit_codes() -> dict[str, str]:
    """What the program's help says of each code."""
    text = ask("help")
    line = " ".join(text[text.index("Exit codes:") + 11 :].split("\n")[:3])
    return {code: re.sub(r"\s+", " ", words).strip() for code, words in re.findall(r"(\d+) ([^;.]+)", line)}


def copied(source: Path, title: str | None = None, note: str = "") -> str:
    """A page that is kept elsewhere: links that lead out of the documentation become plain names."""
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"\[([^\]]+)\]\((?!https?:|#)([^)\s]+\.[a-z]+[^)]*)\)", r"`\1`", text)
    if title:
        text = re.sub(r"\A# .*", "# " + title, text)
    if note:
        head, _, rest = text.partition("\n")
        text = f"{head}\n\n{note}\n{rest}"
    return text


def cells(source: Path) -> str:
    """A page of a script in cells: text cells as they are, code as code."""
    out: list[str] = []
    for part in re.split(r"^# %%", source.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        kind, _, body = part.partition("\n")
        if "[markdown]" in kind:
            out.append(re.sub(r"^# ?", "", body, flags=re.MULTILINE).strip())
        else:
            out.append(f"```python\n{body.strip()}\n```")
    return "\n\n".join(out) + f"\n\nThis page is `python/examples/{source.name}`.\n"


def notebook(source: Path) -> str:
    """A page of a notebook: text as it is, code as code."""
    out = []
    for part in json.loads(source.read_text(encoding="utf-8"))["cells"]:
        text = "".join(part["source"]).strip()
        out.append(text if part["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join(out) + f"\n\nThis page is the notebook `python/examples/{source.name}`.\n"


def main() -> int:
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--no-pictures"]):
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(docs, folder, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    shutil.copy(docs / "conf.py", folder)
    listed = told("list")
    pages: dict[str, str] = {}
    solvers = [told("list", s["id"]) for s in listed["solvers"]]
    for solver in solvers:
        readme = root / "engine/solvers" / solver["id"].replace("-", "_") / "README.md"
        pages[f"reference/keys-{solver['id']}.md"] = keys_page(solver)
        pages[f"theory/{solver['id']}.md"] = copied(readme)
    pages["reference/solvers.md"] = solvers_page(solvers)
    pages["reference/samples.md"] = samples_page(listed["cases"])
    pages["reference/commands.md"] = commands_page()
    pages["reference/changes.md"] = copied(root / "CHANGELOG.md")
    pages["guide/python.md"] = copied(root / "python/README.md", "From Python")
    for example in sorted((root / "python/examples").glob("*.py")):
        pages[f"notebooks/{example.stem.replace('_', '-')}.md"] = cells(example)
    for example in sorted((root / "python/examples").glob("*.ipynb")):
        pages[f"notebooks/{example.stem.replace('_', '-')}.md"] = notebook(example)
    pages["reference/windows.md"] = copied(root / "engine/window/README.md", "How data bigger than a memory are streamed")
    pages["reference/devices.md"] = copied(root / "engine/team/README.md", "How workers and devices share a run")
    pages["reference/security.md"] = copied(root / "SECURITY.md", "What is promised about files of others")
    table = ["| code | means |", "|---|---|", *(f"| {c} | {cell(words)} |" for c, words in exit_codes().items())]
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    drawn = pictures(folder) if len(sys.argv) == 2 else set()
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        up = "../" * (len(page.relative_to(folder).parts) - 1)
        done = re.sub(r"^% exit codes$", lambda _: "\n".join(table), text, flags=re.MULTILINE)
        done = re.sub(r"^% solvers$", lambda _: "\n".join(solvers_table(solvers)), done, flags=re.MULTILINE)
        done = re.sub(r"^% picture: (\S+) (.*)$", lambda m: f"![{m[2]}]({up}{m[1]})" if m[1] in drawn else "", done, flags=re.MULTILINE)
        if done != text:
            page.write_text(done, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
