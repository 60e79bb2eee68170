# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""The Markdown pages of the repository, and what can be linked in them."""
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATTERNS = ["*.md", "Documentation/**/*.md", "Sources/**/*.docc/**/*.md", ".github/**/*.md"]
FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$")


def pages():
    """The paths of all pages, without the symbolic links that show pages of Documentation/ in a catalogue."""
    found = {path for pattern in PATTERNS for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)}
    return sorted(path for path in found if not os.path.islink(path))


def prose(page):
    """The lines of a page with their numbers, without blocks of code."""
    fence = None
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = FENCE.match(line)
            if fence:
                if match and match.group(1).startswith(fence):
                    fence = None
            elif match:
                fence = match.group(1)
            else:
                yield number, line


def blocks(page):
    """The line in which each block begins, and its lines."""
    found, block = [], None
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                if block is not None:
                    found.append(block)
                    block = None
                elif line.strip() == "```swift":
                    block = (number + 1, [])
            elif block is not None:
                block[1].append(line)
    return found


def steps(tutorial):
    """The steps of a tutorial that show code: where the file is in the reader's package, and its name in Resources."""
    with open(tutorial, encoding="utf-8") as file:
        return re.findall(r'@Code\(name: "([^"]+)", file: "([^"]+)"', file.read())


def slug(text):
    """The anchor that GitHub derives from the text of a heading: lower case, no punctuation, hyphens for blanks."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors(page):
    """The anchors of a page on GitHub: those in HTML, and those of headings, with a number for each repetition."""
    counts = {}
    for _, line in prose(page):
        yield from ANCHOR.findall(line)
        if match := HEADING.match(line):
            text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1))
            text = re.sub(r"(?<![\w*])\*{1,2}([^*]+)\*{1,2}(?![\w*])", r"\1", text)
            name = slug(text)
            counts[name] = counts.get(name, -1) + 1
            yield f"{name}-{counts[name]}" if counts[name] else name
