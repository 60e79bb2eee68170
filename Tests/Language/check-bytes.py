#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Finds paths and separators that are split or compared as characters instead of bytes.

For Swift, a slash that is followed by a combining character is another character; for the system and for a service it
is a slash. `words(between:)`, `parts(between:)`, `hasBytePrefix(_:)` and the like of StorageAuth compare bytes.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A literal that has a slash as one of its characters.
SEPARATOR = r'"(?:[^"\\]|\\.)*/(?:[^"\\]|\\.)*"'
FINDINGS = [
    re.compile(pattern)
    for pattern in (
        rf"\bsplit\((?:separator: )?{SEPARATOR}",
        rf"\.has(?:Prefix|Suffix)\({SEPARATOR}\)",
        rf"\.(?:first|last) [!=]= {SEPARATOR}",
        rf"\.(?:first|last)Index\(of: {SEPARATOR}\)",
        r"\.(?:contains|starts)\((?:with: )?\"/\"\)",
        r"\{ \$0 [!=]= \"/\" \}",
        r"\bcomponents\(separatedBy",
        r"\.pathComponents\b",
    )
]

# Lines that may do it, with the reason.
ALLOWED = {
    'matchesFolders = unparsedText.last == "/" || unparsedText.last == "*"': "scalars",
    'matchesFiles = unparsedText.last != "/"': "scalars",
    'if unparsedText.last == "/" { unparsedText = unparsedText.dropLast() }': "scalars",
    "prefix.components(separatedBy: Self.callerPlaceholder)": "a placeholder of ASCII letters, whose surroundings are checked",
}


def findings(lines):
    """Returns the numbers and the texts of the lines that work with characters."""
    found = []
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0] if line.lstrip().startswith("//") else line
        if any(pattern.search(code) for pattern in FINDINGS):
            found.append((number, line.strip()))
    return found


def main():
    failed = False
    used = set()
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, "Sources"))):
        for name in sorted(names):
            if not name.endswith(".swift"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            for number, line in findings(lines):
                reason = next((text for text in ALLOWED if text in line), None)
                if reason is not None:
                    used.add(reason)
                    continue
                failed = True
                print(f"{os.path.relpath(path, ROOT)}:{number}: compare bytes instead of characters: {line}")
    for text in sorted(ALLOWED.keys() - used):
        failed = True
        print(f"check-bytes.py: no line has the permitted text {text}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
