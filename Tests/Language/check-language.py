#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Checks the language of comments, messages and pages, from anywhere; needs no build.

Refuses words that stand for a thing that has a name ("nothing" for `nil`, "whoever" for the caller), summaries of
documentation that do not start with a verb or a noun phrase, and public throwing functions that do not say what they throw.
The strings of tests are data, so that only their comments are checked.
"""
import glob
import os
import re
import sys

from swift_text import pieces

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["Sources", "Examples", "Benchmarks", "Tests"]
PAGES = ["*.md", "Documentation/**/*.md", "Sources/**/*.md", "Examples/**/*.md", ".github/**/*.md"]

WORDS = re.compile(r"\b(nothing|whoever|whomever|somebody|someone|nobody|no one|anybody|anyone|whatsoever)\b", re.IGNORECASE)
# How a summary does not start: with a question, a condition or an order to the reader.
OPENINGS = re.compile(
    r"^(What|Whatever|Whose|Where|Wherever|When|Whenever|Who|How|Why|Which|For|From|Until|If|Unless|Of|In which|To|That|It"
    r"|There|They|Is|Are|Has|Not|Let|Nothing|Because|Since|So)\b(?![`-])")
DECLARATION = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:[\w@()]+\s+)*?(?:func|init|subscript)\b|"
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:[\w@()]+\s+)*?init[?(<]")
# The requirements of a public protocol are public without the word.
PROTOCOL = re.compile(r"^(\s*)public protocol\b")
REQUIREMENT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:static\s+|mutating\s+)*(?:func|init)\b")


def swift_files():
    for folder in FOLDERS:
        yield from sorted(glob.glob(os.path.join(ROOT, folder, "**/*.swift"), recursive=True))


def words(path, source):
    for piece in pieces(source):
        if piece.kind == "code" or piece.kind == "string" and path.startswith("Tests/"):
            continue
        for match in WORDS.finditer(piece.text):
            # In capitals it is a name of another program's, such as an error of ascp.
            if match.group().isupper():
                continue
            line = piece.line + piece.text.count("\n", 0, match.start())
            yield line, f'"{match.group()}" in a {"message" if piece.kind == "string" else "comment"}'


def summaries(source):
    """Finds first lines of documentation that start in another way than with a verb or a noun phrase."""
    before = ""
    for number, line in enumerate(source.split("\n"), 1):
        text = line.strip()
        if text.startswith("///") and not before.startswith("///"):
            summary = text[3:].strip()
            if match := OPENINGS.match(summary):
                yield number, f'a summary that starts with "{match.group()}"; start with a verb or a noun phrase'
        before = text


def throwing(source):
    """Finds public functions that throw and have documentation that does not say what."""
    lines, end_of_protocol = source.split("\n"), None
    for number, line in enumerate(lines):
        if protocol := PROTOCOL.match(line):
            end_of_protocol = protocol.group(1) + "}"
        elif line == end_of_protocol:
            end_of_protocol = None
        if not DECLARATION.match(line) and not (end_of_protocol is not None and REQUIREMENT.match(line)):
            continue
        head, end = line, number
        while head.count("(") > head.count(")") and end + 1 < len(lines):
            end += 1
            head += "\n" + lines[end]
        while end + 1 < len(lines) and re.match(r"^\s*(async|throws|->|where)\b", lines[end + 1]):
            end += 1
            head += "\n" + lines[end]
        effects = _after_parameters(head)
        if not re.search(r"\bthrows\b", effects) or "throws(Never)" in effects:
            continue
        start, documentation = number - 1, []
        while start >= 0 and re.match(r"^\s*(///|@)", lines[start]):
            documentation.append(lines[start])
            start -= 1
        if not any(re.match(r"^\s*/// - (Throws|Rethrows)\b", text) for text in documentation):
            yield number + 1, "a public function that throws has no `- Throws:`"


def _after_parameters(head):
    """The part of a declaration between its parameters and its body or result."""
    start = head.find("(", re.search(r"\b(func|init|subscript)\b", head).end())
    depth = 0
    for place in range(start, len(head)):
        depth += {"(": 1, ")": -1}.get(head[place], 0)
        if depth == 0:
            return re.split(r"->|\{", head[place + 1:])[0]
    return ""


def page_words(source):
    for number, line in enumerate(source.split("\n"), 1):
        for match in WORDS.finditer(line):
            yield number, f'"{match.group()}" on a page'


def findings(name, source):
    """The findings in a file: the line and the problem of each."""
    if name.endswith(".md"):
        return list(page_words(source))
    found = [*words(name, source), *summaries(source)]
    return sorted(found if name.startswith("Tests/") else [*found, *throwing(source)])


def main():
    only = tuple(sys.argv[1:])
    pages = [path for pattern in PAGES for path in sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))]
    found, read = [], 0
    for path in [*swift_files(), *pages]:
        name = os.path.relpath(path, ROOT)
        if only and not name.startswith(only):
            continue
        with open(path, encoding="utf-8") as file:
            found += [f"{name}:{line}: {problem}" for line, problem in findings(name, file.read())]
        read += 1
    for problem in found:
        print(problem)
    if not read:
        print("no file was read")
        return 1
    print(f"language: {read} files, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
