#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Checks that every source file of the repository starts with the line of the license header.

Usage: check-headers.py [--write] [PATH...]

Without --write, lists the files that lack the header and fails. With --write, adds it: at the top of a file, below the
`#!` line of a script, or below `// swift-tools-version` of a manifest, followed by one empty line. PATHs, relative to the
root of the repository, restrict the check to files and folders. Needs no build.

Source files are Swift, C, C headers, Go, Python, Ruby and shell; a script without an extension counts by its `#!` line. Left out:
- Tests/ReaderTests/Corpus: inputs of the fuzzed readers, which must stay byte for byte;
- the data of the tests in Tests/*/Vectors and Tests/*/Keys: JSON and generated keys, which are not source files;
- the steps of the tutorials in Documentation/SwiftStorageAuth/*.docc/Resources, which readers see and copy as a whole;
- every other kind of file (Markdown, module maps, HTML, YAML, text): LICENSE covers it without a header.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = "Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0"
COMMENTS = {".swift": "//", ".c": "//", ".h": "//", ".go": "//", ".py": "#", ".rb": "#", ".sh": "#", ".bash": "#"}
SCRIPT = re.compile(rb"^#!.*\b(sh|bash|python3?|ruby)\s*$")
SKIPPED_FOLDERS = {".git", ".build", ".build-backends", ".swiftpm", "__pycache__"}
SKIPPED_PATHS = {"Tests/ReaderTests/Corpus", "Documentation/SwiftStorageAuth/SwiftStorageAuth.docc/Resources"}


def comment_mark(path):
    """Returns what starts a comment in a source file, or None for a file that is not one."""
    extension = os.path.splitext(path)[1]
    if extension in COMMENTS:
        return COMMENTS[extension]
    if extension or os.path.islink(path):
        return None
    with open(path, "rb") as file:
        return "#" if SCRIPT.match(file.readline(200).rstrip(b"\n")) else None


def source_files():
    """Yields the path of each source file, relative to the root, and what starts a comment in it."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            name for name in folders
            if name not in SKIPPED_FOLDERS and os.path.relpath(os.path.join(folder, name), ROOT) not in SKIPPED_PATHS)
        for name in sorted(names):
            path = os.path.join(folder, name)
            # A worktree has a file called .git.
            if name == ".git" or not os.path.isfile(path):
                continue
            if mark := comment_mark(path):
                yield os.path.relpath(path, ROOT), mark


def header_place(lines):
    """Returns how many lines come before the header."""
    return 1 if lines and re.match(r"#!|//\s*swift-tools-version\s*:", lines[0]) else 0


def with_header(text, mark):
    """Returns the text with the header, the same text if it has one, or None if it starts with another license."""
    lines = text.split("\n")
    place, header = header_place(lines), f"{mark} {HEADER}"
    present = lines[place:place + 1] == [header]
    rest = lines[place + 1:] if present else lines[place:]
    if not present and any("SPDX-License-Identifier" in line or "Copyright" in line for line in rest[:10]):
        return None
    if any(rest) and rest[0] != "":
        rest = ["", *rest]
    elif not any(rest):
        rest = [""]
    return "\n".join([*lines[:place], header, *rest])


def main():
    arguments = sys.argv[1:]
    write, only = "--write" in arguments, [os.path.normpath(path) for path in arguments if not path.startswith("-")]
    if unknown := [argument for argument in arguments if argument.startswith("-") and argument != "--write"]:
        print(f"headers: unknown option {unknown[0]}; the only one is --write")
        return 2
    read, written, problems = 0, 0, []
    for name, mark in source_files():
        if only and not any(name == path or name.startswith(path + os.sep) for path in only):
            continue
        path = os.path.join(ROOT, name)
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        read += 1
        changed = with_header(text, mark)
        if changed is None:
            problems.append(f"{name}: starts with other license or copyright lines than the header; correct them by hand")
        elif changed != text and write:
            # The file is written in place, so that its mode stays as it is.
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(changed)
            written += 1
        elif changed != text:
            problems.append(f"{name}: lacks the license header, or the empty line below it")
    for problem in problems:
        print(problem)
    if not read:
        print("headers: no file was read")
        return 1
    print(f"headers: {read} files, {written} written, {len(problems)} findings")
    if problems and not write:
        print("headers: run Tests/Language/check-headers.py --write to add them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
