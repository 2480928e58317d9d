#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which messages of the engine have no words in another language of the window (resources/i18n/<language>-messages.json).

    packaging/messages.py            # what lacks French, a line each: file, language, English text; ends with 1 if there is any
    packaging/messages.py --makers   # the functions that make messages, as they were found

The engine speaks English; the window matches what it says with patterns (app/look/message_catalogue.hpp). This program reads the
sources as text: it looks for functions that make a Diagnostic, directly or by another such function, and takes all literals of two
words and more in the statements that call them, joined as `"…" + x + "…"` and with the arguments of fmt::format as {}. A literal
has its words if it is a pattern, or if each of its parts between arguments stands in one: what is chosen by a condition and put
into another text is a pattern of its own or a part of a whole one. What stands before a colon needs none: the window takes texts apart there. What is put together elsewhere is out of its sight; the test
tests/app/look/test_messages_in_french.cpp sees what comes out.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = ["fr"]
# What runs without a window: the command line's own messages, rows of `verify`, and what speaks with other programs.
ELSEWHERE = ("engine/cli/", "/verify/")
FIRST_MAKERS = {"make_error", "make_warning", "system_error", "error_at", "warning_at", "Diagnostic"}
NOT_FOR_PEOPLE = {"static_assert", "verify", "printf", "fprintf", "asm", "volatile", "number", "table_info", "column", "RowCheck"}

# Commands for a shell, and what stands in files for other programs.
NO_MESSAGE = re.compile(r"^(mkdir -p |cd \{\} && |tar -C |\{\} \| tar |BEGIN BULK|\[\{\"kind\"|This is a netCDF|No license provided|computed by boundary|degree, degree)")

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)|(?P<raw>R"(?P<end>[^(\s]*)\(.*?\)(?P=end)")"""
    r"""|(?P<text>(?:u8)?"(?:[^"\\\n]|\\.)*")|(?P<char>'(?:[^'\\]|\\.)')|(?P<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"""
    r"""|(?P<number>\d[\w.']*)|(?P<sign><<|>>|->|::|[-+*/=<>!&|^%?:;,.(){}\[\]~])""",
    re.S | re.M,
)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}


def plain(literal):
    """What a literal says."""
    inside = literal[literal.index('"') + 1 : -1]
    return re.sub(r"\\(u([0-9a-fA-F]{4})|.)", lambda m: chr(int(m[2], 16)) if m[2] else ESCAPES.get(m[1], m[1]), inside)


def tokens_of(source):
    """(kind, text, place) without comments; adjacent literals and std::string("…") are one literal."""
    found = []
    for match in TOKEN.finditer(source):
        kind = "raw" if match.lastgroup == "end" else match.lastgroup
        if kind in ("skip", "raw"):
            continue
        if kind == "text":
            said = plain(match.group())
            if found and found[-1][0] == "text":
                found[-1] = ("text", found[-1][1] + said, found[-1][2])
                continue
            found.append(("text", said, match.start()))
        else:
            found.append((kind, match.group(), match.start()))
    joined = []
    at = 0
    while at < len(found):
        four = found[at : at + 4]
        if four[0][1] in ("std::string", "std::string_view") and len(four) == 4 and four[2][0] == "text" and four[3][1] == ")":
            joined.append(four[2])
            at += 4
        else:
            joined.append(four[0])
            at += 1
    return joined


def is_sign(token, signs):
    return token[0] == "sign" and token[1] in signs


def calls_around(tokens, at):
    """Names of the calls that a literal stands in, within its statement."""
    names, depth = [], 0
    for i in range(at - 1, max(-1, at - 600), -1):
        token = tokens[i]
        if is_sign(token, ")]}"):
            depth += 1
        elif is_sign(token, "([{"):
            if depth:
                depth -= 1
                continue
            before = tokens[i - 1]
            if token[1] == "{" and (is_sign(before, ")") or before[1] in ("const", "else", "noexcept", "override", "do", "try")):
                break
            if before[0] == "name":
                names.append(before[1].split("::")[-1])
                # Error name("…")
                if i >= 2 and tokens[i - 2][0] == "name":
                    names.append(tokens[i - 2][1].split("::")[-1])
        elif is_sign(token, ";") and not depth:
            break
    return names


def pattern_at(tokens, at):
    """The literal with what is joined to it, arguments as {}; and the places of the literals that were taken."""
    if at >= 2 and is_sign(tokens[at - 1], "(") and tokens[at - 2][1] in ("fmt::format", "format"):
        text = tokens[at][1].replace("{{", "\1").replace("}}", "\2")
        return re.sub(r"\{[^{}]*\}", "{}", text).replace("\1", "{").replace("\2", "}"), {at}
    pattern = ("{}" if at and is_sign(tokens[at - 1], "+") else "") + tokens[at][1]
    taken = {at}
    i = at + 1
    while i < len(tokens) and is_sign(tokens[i], "+"):
        begin, depth = i + 1, 0
        i = begin
        while i < len(tokens):
            if is_sign(tokens[i], "([{"):
                depth += 1
            elif is_sign(tokens[i], ")]}"):
                if not depth:
                    break
                depth -= 1
            elif not depth and is_sign(tokens[i], ("+", ",", ";", "?", ":", "<<")):
                break
            i += 1
        if i == begin + 1 and tokens[begin][0] == "text":
            pattern += tokens[begin][1]
            taken.add(begin)
        elif i == begin + 1 and tokens[begin][0] == "char":
            pattern += plain('"' + tokens[begin][1][1:-1] + '"')
        elif not pattern.endswith("{}"):
            pattern += "{}"
    return pattern, taken


def body_from(tokens, at):
    """Tokens of the block whose brace stands at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if is_sign(tokens[i], "{"):
            depth += 1
        elif is_sign(tokens[i], "}"):
            depth -= 1
            if not depth:
                return tokens[at:i]
    return tokens[at:]


def definitions(tokens):
    """(name, body) of functions and of lambdas with a name that take a text."""
    for i, token in enumerate(tokens):
        if not is_sign(token, "(") or not i:
            continue
        before = tokens[i - 1]
        name = before[1].split("::")[-1] if before[0] == "name" else None
        if is_sign(before, "]"):  # const auto name = [&](…)
            for j in range(i - 2, max(0, i - 40), -1):
                if is_sign(tokens[j], "["):
                    name = tokens[j - 2][1] if j >= 2 and is_sign(tokens[j - 1], "=") else None
                    break
        if not name:
            continue
        depth, j = 0, i
        while j < len(tokens):
            depth += is_sign(tokens[j], "([{") - is_sign(tokens[j], ")]}")
            if not depth:
                break
            j += 1
        parameters = {t[1].split("::")[-1] for t in tokens[i:j] if t[0] == "name"}
        if not parameters & {"string", "string_view", "char"}:
            continue
        j += 1
        while j < len(tokens) and not is_sign(tokens[j], "{;,)+=?"):
            j += 1
        if j < len(tokens) and is_sign(tokens[j], "{"):
            yield name, body_from(tokens, j)


def sources():
    for path in sorted((ROOT / "engine").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in (".cpp", ".hpp", ".inl", ".cu") and not any(part in name for part in ELSEWHERE):
            yield name, tokens_of(path.read_text(encoding="utf-8"))


def makers_among(files):
    """Names of functions that make messages of a text that they are given: of headers for all, of a source for its folder."""
    found = {"": set(FIRST_MAKERS)}
    known = [(name.rsplit("/", 1)[0], maker, {t[1].split("::")[-1] for t in body if t[0] == "name"})
             for name, tokens in files for maker, body in definitions(tokens)]
    while True:
        before = sum(map(len, found.values()))
        for folder, maker, used in known:
            if maker not in NOT_FOR_PEOPLE and used & (found[""] | found.get(folder, set())):
                found.setdefault(folder, set()).add(maker)
        if sum(map(len, found.values())) == before:
            return found


def has_words(text, least):
    return len(re.findall(r"[A-Za-z]{2,}", text.replace("{}", " "))) >= least and " " in text.strip()


def main():
    files = list(sources())
    makers = makers_among(files)
    if "--makers" in sys.argv[1:]:
        for folder, names in sorted(makers.items()):
            print(folder or "everywhere", " ".join(sorted(names)))
        return 0
    missing = 0
    for language in LANGUAGES:
        folders = json.loads((ROOT / f"resources/i18n/{language}-messages.json").read_text(encoding="utf-8"))
        patterns = {pattern for texts in folders.values() for pattern in texts}
        everything = "\n".join(patterns)
        seen = 0
        for name, tokens in files:
            known = makers[""] | makers.get(name.rsplit("/", 1)[0], set())
            taken = set()
            for at, token in enumerate(tokens):
                if token[0] != "text" or at in taken:
                    continue
                calls = calls_around(tokens, at)
                if not known & set(calls) or NOT_FOR_PEOPLE & set(calls):
                    continue
                pattern, joined = pattern_at(tokens, at)
                taken |= joined
                if not has_words(pattern, 2) or NO_MESSAGE.match(pattern):
                    continue
                seen += 1
                pieces = re.split(r"\{\}|: (?=\{)", pattern)
                parts = [part for part in pieces if has_words(part, 2)] or [part for part in pieces if has_words(part, 1)]
                if pattern in patterns or pattern.removeprefix("{}: ") in patterns or (parts and all(part in everything for part in parts)):
                    continue
                missing += 1
                print(f"{name}: {language}: {json.dumps(pattern, ensure_ascii=False)}")
        if seen < 1500:
            print(f"only {seen} literals were found: the sources are no longer read as they are written")
            missing += 1
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
