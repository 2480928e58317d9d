# SPDX-License-Identifier: BSD-3-Clause
"""Reads an HTML page strictly and says as JSON what is in it: read_page.py FILE. A tag that is not closed, a character that should have
been escaped, a script, or anything that a browser would fetch is a line under "problems"."""
import base64
import html.parser
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

VOID = {"meta", "img", "br", "hr", "link", "input", "base", "source"}
KEPT = {"h1", "h2", "h3", "p", "pre", "th", "td", "title", "summary", "figcaption"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.problems, self.texts, self.tables, self.images, self.policy = [], [], [], [], [], ""

    def look(self, tag, attributes):
        for name, value in attributes:
            value = value or ""
            if name.startswith("on"):
                self.problems.append(f"<{tag}> has a handler: {name}")
            if name in ("src", "href", "data", "action", "poster", "srcset") and not value.startswith(("data:", "#")):
                self.problems.append(f"<{tag}> points outside: {value[:60]}")
        if tag in ("script", "link", "base", "iframe", "object", "embed", "form", "svg"):
            self.problems.append(f"there is a <{tag}>")

    def handle_starttag(self, tag, attributes):
        self.look(tag, attributes)
        named = dict(attributes)
        if tag == "meta" and named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"]
        if tag == "img":
            self.picture(named)
        if tag == "table":
            self.tables.append({"under": next((t[1] for t in reversed(self.texts) if t[0] in ("h1", "h2", "h3")), ""),
                                "class": named.get("class", ""), "rows": []})
        if tag == "tr":
            self.tables[-1]["rows"].append([])
        if tag not in VOID:
            self.open.append(tag)
        if tag in KEPT:
            self.texts.append([tag, "", named.get("class", "")])

    def picture(self, named):
        found = re.fullmatch(r"data:(image/[a-z+]+);base64,([A-Za-z0-9+/]+={0,2})", named.get("src", ""))
        if not found or not named.get("alt"):
            return self.problems.append("a picture without data or words")
        media, data = found[1], base64.b64decode(found[2], validate=True)
        if media == "image/png" and not data.startswith(b"\x89PNG\r\n\x1a\n"):
            self.problems.append("a picture that is no PNG")
        if media == "image/svg+xml":
            try:
                for element in ElementTree.fromstring(data).iter():
                    if element.tag.rpartition("}")[2] == "script":
                        self.problems.append("a drawing with a script")
            except ElementTree.ParseError as error:
                self.problems.append(f"a drawing that is no XML: {error}")
        self.images.append({"media": media, "words": named["alt"], "bytes": len(data)})

    def handle_endtag(self, tag):
        if tag in VOID or not self.open or self.open[-1] != tag:
            return self.problems.append(f"</{tag}> closes {self.open[-1:]} at {self.getpos()}")
        self.open.pop()
        if tag in ("th", "td"):
            self.tables[-1]["rows"][-1].append(self.texts[-1][1])

    def handle_data(self, data):
        if self.open and self.open[-1] in KEPT:
            self.texts[-1][1] += data
        elif data.strip() and "style" not in self.open:
            self.problems.append(f"text outside of an element: {data.strip()[:60]}")

    def unknown_decl(self, data):
        self.problems.append(f"a declaration: {data[:60]}")

    handle_pi = handle_comment = unknown_decl


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        page.problems.append(f"not closed: {page.open}")
    if not text.startswith("<!DOCTYPE html>\n"):
        page.problems.append("no document type")
    # What is left of < and & that are no tag and no reference.
    body = re.sub(r"<style>.*?</style>", "", text, flags=re.S)
    for found in re.finditer(r"&(?!amp;|lt;|gt;|quot;|#39;)|<(?![a-zA-Z/!])", body):
        page.problems.append(f"not escaped: {body[found.start():found.start() + 40]!r}")
    for style in re.findall(r"<style>(.*?)</style>", text, flags=re.S):
        if re.search(r"@import|url\(", style):
            page.problems.append("the style fetches something")
    texts = [{"tag": tag, "text": content, "class": name} for tag, content, name in page.texts]
    json.dump({"problems": page.problems, "policy": page.policy, "texts": texts, "tables": page.tables,
               "images": page.images}, sys.stdout)


main()
