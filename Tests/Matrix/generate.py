#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Writes Documentation/TestMatrix.md, the page of providers and modes, and .build/TestMatrix.md, which lists every test;
prints their paths and a summary.

With --check, validates the markers, the cells and that the page is current, and writes no file.

A marker comment right above a test names the row and the columns of the cells that the test covers:

    // matrix: OSS V4: header, presign
    func testPresignedURLVerifies() throws {

A cell without a test needs a reason in matrix.json; a cell with a test must not have a separate reason there.
The first line of a suite's documentation comment describes the behaviour that the suite covers.
"""
import glob
import json
import os
import re
import sys

from vectors import vector_tables

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PAGE = "Documentation/TestMatrix.md"
LIST = ".build/TestMatrix.md"
MARKER = re.compile(r"^\s*// matrix: ([^:]+): (.+)$")
TEST = re.compile(r"^\s*(?:@\w+ )*func (test\w+)\(")
# The words of a test's name: abbreviations, also in the plural and with a number, before words and numbers.
WORD = re.compile(
    r"OpenSSHs?|MinIO|OAuth|Ed25519|[Bb]ase64|HMACSHA\d+|A(?=URL|V[1-5]|HEAD|JSON)|IOS(?=SDK)|(?:URL|SDK|CRC|API|ID|JWT)s(?=[A-Z]|$)"
    r"|(?:OSS|COS|OBS|STS|HTTPS|HTTP|RFC|URL)(?=[A-Z0-9]|$)|V[1-5](?=[A-Z]|$)|S3s?(?=[A-Z]|$)|(?:SHA|MD|UTF|PKCS|CRC|ISO|TC)\d+"
    r"|[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|\d+")
SUITE = re.compile(r"^(?:(?:@\w+ )*(?:final )?class (\w+): \w+|extension (\w+Tests) \{)")


class Suite:
    """An XCTestCase class with the tests of all of its extensions."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.path, self.description, self.tests = None, "", []


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def collect(tables):
    """Returns the suites, the tests of every cell, and the problems of the markers."""
    suites, cells, problems = {}, {}, []
    for path in sorted(glob.glob(os.path.join(ROOT, "Tests/**/*.swift"), recursive=True)):
        name = os.path.relpath(path, ROOT)
        suite, pending, comments = None, [], []
        for number, line in enumerate(read(name).split("\n"), 1):
            declared, marker, test = SUITE.match(line), MARKER.match(line), TEST.match(line)
            if line.startswith("///"):
                comments.append(line[3:].strip())
                continue
            if declared:
                key = name.split("/")[1], declared.group(1) or declared.group(2)
                suite = suites.setdefault(key, Suite(key[1], key[0]))
                if declared.group(1):
                    suite.path, suite.description = name, comments[0] if comments else ""
            if not line.startswith("@"):
                comments = []
            if marker:
                pending += marked(marker, tables, f"{name}:{number}", problems)
            elif test and suite is None and pending:
                problems.append(f"{name}:{number}: the test with a marker is outside of a class")
                pending = []
            elif test and suite:
                link = test.group(1), f"{name}#L{number}"
                suite.tests.append(link)
                for cell in pending:
                    cells.setdefault(cell, []).append((suite, *link))
                pending = []
            elif pending:
                problems.append(f"{name}:{number}: no test follows the marker")
                pending = []
    return [suite for _, suite in sorted(suites.items()) if suite.tests], cells, problems


def marked(marker, tables, place, problems):
    """Returns the cells that a marker names."""
    row, columns = marker.group(1), [column.strip() for column in marker.group(2).split(",")]
    table = next((table for table in tables if row in table["rows"]), None)
    if table is None:
        problems.append(f"{place}: the row {row!r} does not exist")
        return []
    problems += [f"{place}: the column {column!r} does not exist" for column in columns if column not in table["columns"]]
    return [(row, column) for column in columns]


def note(table, row, column):
    own = table["notes"].get(row, {})
    return own.get(column) or own.get("*") or table["notes"]["*"].get(column)


def check_cells(tables, cells, problems):
    for table in tables:
        for row, column in ((row, column) for row in table["rows"] for column in table["columns"]):
            if cells.get((row, column)):
                if table["notes"].get(row, {}).get(column):
                    problems.append(f"{row}, {column}: has tests and a reason for having none")
            elif not note(table, row, column):
                problems.append(f"{row}, {column}: has neither a test nor a reason")


def sentence(name):
    """Returns a test's name as a sentence."""
    words = WORD.findall(name[4:])
    text = " ".join(word if re.search(r"[A-Z].*[A-Z0-9]", word) else word.lower() for word in words)
    return text[:1].upper() + text[1:]


def anchor(*names):
    return re.sub(r"[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")


def target(path):
    """Returns the link to a source file from the page's folder."""
    return "../" + path


def table_lines(table, cells):
    lines = ["", f'### <a id="{anchor("table", table["title"])}"></a>{table["title"]}', "", *table["about"], "",
             "| | " + " | ".join(table["columns"]) + " |", "|---" * (len(table["columns"]) + 1) + "|"]
    for row in table["rows"]:
        texts = [f"[{len(cells[row, column])}](#{anchor(row, column)})" if cells.get((row, column))
                 else note(table, row, column) or "" for column in table["columns"]]
        lines.append(f"| [{row}](#{anchor(row)}) | " + " | ".join(texts) + " |")
    return lines


def contents(tables, suites):
    lines = ["", "## Contents", "", "- [Tables](#tables)"]
    lines += [f"  - [{table['title']}](#{anchor('table', table['title'])})" for table in tables]
    lines.append("- [Tests by behaviour](#tests-by-behaviour)")
    lines += [f"  - [{row}](#{anchor(row)})" for table in tables for row in table["rows"]]
    lines.append("- [Tests by suite](#tests-by-suite)")
    for folder in sorted({suite.folder for suite in suites}):
        lines.append(f"  - [{folder}](#{anchor('suites', folder)})")
        lines += [f"    - [{suite.name}](#{anchor(folder, suite.name)})" + (f": {suite.description}" if suite.description else "")
                  for suite in suites if suite.folder == folder]
    return lines + ["- [Known answers](#known-answers)"]


def behaviours(tables, cells):
    """Returns the tests under the headings of rows and columns."""
    lines = ["", '## <a id="tests-by-behaviour"></a>Tests by behaviour']
    for table in tables:
        for row in table["rows"]:
            lines += ["", f'### <a id="{anchor(row)}"></a>{row}']
            for column in table["columns"]:
                lines += ["", f'#### <a id="{anchor(row, column)}"></a>{row}: {column}', ""]
                tests = cells.get((row, column))
                if not tests:
                    lines.append(f"No test: {note(table, row, column)}.")
                    continue
                lines += [f"- [{sentence(test)}]({target(link)}) ([{suite.name}](#{anchor(suite.folder, suite.name)}))"
                          for suite, test, link in tests]
    return lines


def suite_lines(suites):
    lines, folder = ["", '## <a id="tests-by-suite"></a>Tests by suite'], None
    for suite in suites:
        if suite.folder != folder:
            folder = suite.folder
            lines += ["", f'### <a id="{anchor("suites", folder)}"></a>{folder}']
        lines += ["", f'#### <a id="{anchor(folder, suite.name)}"></a>{suite.name}', ""]
        lines += [suite.description, ""] if suite.description else []
        lines += [f"- [{sentence(test)}]({target(link)})" for test, link in suite.tests]
    return lines


def page(tables, suites, cells, vectors):
    lines = [
        "# Test matrix", "",
        "Generated from the tests by `make matrix`. A number in a table is the count of tests that cover the cell and links to",
        "them. `make test` fails if a cell has neither a test nor a reason.",
        *contents(tables, suites), "", '## <a id="tables"></a>Tables',
    ]
    for table in tables:
        lines += table_lines(table, cells)
    lines += behaviours(tables, cells) + suite_lines(suites)
    lines += ["", '## <a id="known-answers"></a>Known answers', "",
              "Every vector, and whether the tests reproduce it. `signed` means equal byte for byte: the string to sign, the",
              "signature, and the authorization or the parameters of the URL."]
    return "\n".join(lines + vectors) + "\n"


def overview(tables, cells):
    """Returns the page of the documentation: the tables with numbers of tests, the reasons, and the classes of each row.

    It has neither lines nor totals, so that it changes only with the tests of a cell.
    """
    lines = [
        "# Test matrix", "",
        "The number of tests of each provider in each mode, the reasons for empty cells, and the classes of the tests.", "",
        "`make matrix` generates this page from the tests, and `make test` fails if it is not current, or if a cell has neither a",
        "test nor a reason. A test that covers several cells counts in each of them. A letter stands for the reason below its",
        "table. `make matrix` also lists every test with its line, in `.build/TestMatrix.md`.",
    ]
    for table in tables:
        reasons = []
        lines += ["", f"## {table['title']}", "", *table["about"], "",
                  "| | " + " | ".join(table["columns"]) + " |", "|---" * (len(table["columns"]) + 1) + "|"]
        for row in table["rows"]:
            texts = []
            for column in table["columns"]:
                if tests := cells.get((row, column)):
                    texts.append(str(len(tests)))
                    continue
                reason = note(table, row, column)
                if reason not in reasons:
                    reasons.append(reason)
                texts.append(letter(reasons.index(reason)))
            lines.append(f"| **{row}** | " + " | ".join(texts) + " |")
        if reasons:
            lines += ["", "No test, because:", ""]
            lines += [f"- {letter(index)}: {reason}" for index, reason in enumerate(reasons)]
        lines += ["", "| | classes |", "|---|---|"]
        for row in table["rows"]:
            found = {suite.path: suite.name for column in table["columns"] for suite, _, _ in cells.get((row, column), [])}
            links = [f"[{name}]({target(path)})" for path, name in sorted(found.items(), key=lambda item: (item[1], item[0]))]
            lines.append(f"| **{row}** | " + ", ".join(links) + " |")
    return "\n".join(lines) + "\n"


def letter(index):
    """Returns the letter of a reason in a table."""
    return "abcdefghijklmnopqrstuvwxyz"[index]


def summary(tables, suites, cells):
    """Returns the lines of the table that `make matrix` prints."""
    rows = [("row", "cells", "tested", "reasons", "tests")]
    for table in tables:
        for row in table["rows"]:
            tested = [cells[row, column] for column in table["columns"] if cells.get((row, column))]
            tests = {(suite.name, test) for cell in tested for suite, test, _ in cell}
            rows.append((row, len(table["columns"]), len(tested), len(table["columns"]) - len(tested), len(tests)))
    lines = [f"{row[0]:<28}" + "".join(f"{value:>9}" for value in row[1:]) for row in rows]
    return lines + ["", f"{len(suites)} suites, {sum(len(suite.tests) for suite in suites)} tests"]


def main():
    tables = json.loads(read("Tests/Matrix/matrix.json"))["tables"]
    suites, cells, problems = collect(tables)
    check_cells(tables, cells, problems)
    vectors = vector_tables(read, problems)
    for problem in problems:
        print("test matrix: " + problem)
    if problems:
        return 1
    text = overview(tables, cells)
    if "--check" in sys.argv[1:]:
        if not os.path.exists(os.path.join(ROOT, PAGE)) or read(PAGE) != text:
            print(f"test matrix: {PAGE} is not current; run `make matrix` and commit it")
            return 1
        print(f"test matrix: every cell has a test or a reason, and {PAGE} is current")
        return 0
    os.makedirs(os.path.join(ROOT, os.path.dirname(LIST)), exist_ok=True)
    for path, content in (PAGE, text), (LIST, page(tables, suites, cells, vectors)):
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(content)
        print(os.path.join(ROOT, path))
    print("", *summary(tables, suites, cells), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
