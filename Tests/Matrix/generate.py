#!/usr/bin/env python3
"""Writes Documentation/TestMatrix.md from the tests; with --check, fails if it differs or cannot be written.

A test says which cells it fills, in comments right above it:

    // matrix: OSS V4: header, presign
    func testSomething() throws {

A cell without a test needs a reason in matrix.json; a cell with a test must not have one of its own there.
"""
import glob
import json
import os
import re
import sys

from vectors import vector_tables

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PAGE = "Documentation/TestMatrix.md"
MARKER = re.compile(r"^\s*// matrix: ([^:]+): (.+)$")
TEST = re.compile(r"^\s*func (test\w+)\(")
CLASS = re.compile(r"^(?:(?:final )?class (\w+): \w+|extension (\w+Tests) \{)")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def collect(tables):
    """The tests of every cell, and what is wrong with the markers."""
    cells, problems = {}, []
    for path in sorted(glob.glob(os.path.join(ROOT, "Tests/**/*.swift"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        suite, pending = None, []
        for number, line in enumerate(read(name).split("\n"), 1):
            declared = CLASS.match(line)
            suite = declared.group(1) or declared.group(2) if declared else suite
            marker, test = MARKER.match(line), TEST.match(line)
            if marker:
                row, columns = marker.group(1), [column.strip() for column in marker.group(2).split(",")]
                table = next((table for table in tables if row in table["rows"]), None)
                if table is None:
                    problems.append(f"{name}:{number}: there is no row {row!r}")
                    continue
                for column in columns:
                    if column not in table["columns"]:
                        problems.append(f"{name}:{number}: there is no column {column!r}")
                    pending.append((row, column))
            elif pending and test and suite is None:
                problems.append(f"{name}:{number}: a test outside of a class")
                pending = []
            elif pending and test:
                for cell in pending:
                    cells.setdefault(cell, []).append((f"{suite}.{test.group(1)}", f"../{name}#L{number}"))
                pending = []
            elif pending:
                problems.append(f"{name}:{number}: a marker that no test follows")
                pending = []
    return cells, problems


def note(table, row, column):
    own = table["notes"].get(row, {})
    return own.get(column) or own.get("*") or table["notes"]["*"].get(column)


def sentence(name):
    """A test's name as the sentence that it is."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s[A-Z])[a-z])", " ", name.split(".")[1][4:])
    words = re.sub(r"\bA(?=URL|V[14])", "A ", text).split(" ")
    text = " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words)
    return text[:1].upper() + text[1:]


def anchor(row, column):
    return re.sub(r"[^a-z0-9]+", "-", f"{row} {column}".lower()).strip("-")


def table_lines(table, cells, problems):
    lines = ["", "## " + table["title"], "", *table["about"], "",
             "| | " + " | ".join(table["columns"]) + " |", "|---" * (len(table["columns"]) + 1) + "|"]
    for row in table["rows"]:
        texts = []
        for column in table["columns"]:
            tests, reason = cells.get((row, column)), note(table, row, column)
            if tests:
                texts.append(f"[{len(tests)}](#{anchor(row, column)})")
                if table["notes"].get(row, {}).get(column):
                    problems.append(f"{row}, {column}: has tests and a reason why it has none")
            else:
                texts.append(reason or "")
                if not reason:
                    problems.append(f"{row}, {column}: has neither a test nor a reason")
        lines.append(f"| {row} | " + " | ".join(texts) + " |")
    return lines


def page(tables, cells, problems):
    lines = [
        "# Test matrix", "",
        "Generated from the tests by `Tests/Matrix/generate.py`; do not edit. A number is how many tests fill a cell and",
        "leads to their names. `make test` fails if a cell has neither a test nor a reason, or if this page is not up to date.",
    ]
    for table in tables:
        lines += table_lines(table, cells, problems)
    lines += ["", "## Tests of every cell"]
    for row, column in ((row, column) for table in tables for row in table["rows"] for column in table["columns"]):
        tests = cells.get((row, column))
        if tests:
            lines += ["", f'### <a id="{anchor(row, column)}"></a>{row}: {column}', ""]
            lines += [f"- [{sentence(name)}]({link.split('#')[0]}) (`{name}`)" for name, link in tests]
    lines += ["", "## Known answers", "",
              "Every vector, and whether the tests reproduce it. `signed` is byte for byte: the string to sign, the signature,",
              "and the authorization or the URL's parameters."]
    return "\n".join(lines + vector_tables(read, problems)) + "\n"


def main():
    tables = json.loads(read("Tests/Matrix/matrix.json"))["tables"]
    cells, problems = collect(tables)
    text = page(tables, cells, problems)
    for problem in problems:
        print("test matrix: " + problem)
    if problems:
        return 1
    path = os.path.join(ROOT, PAGE)
    if "--check" in sys.argv[1:]:
        if not os.path.exists(path) or read(PAGE) != text:
            print(f"test matrix: {PAGE} is not what the tests say; run Tests/Matrix/generate.py")
            return 1
        print(f"test matrix: {PAGE} is up to date")
        return 0
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
