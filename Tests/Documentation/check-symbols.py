#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Checks the links to symbols in the comments of public declarations and in the catalogues; needs no build.

DocC finds only public symbols of the link's own module. A ``Name`` that is declared in another module, or is not public,
is an error of `make docs`, which takes minutes; this check takes a second. It compares names, not types: a member that
exists only in another type of the module is not found out here.
"""
import glob
import os
import re
import sys

from pages import ROOT, prose

LINK = re.compile(r"(?<!`)``([^`\n]+)``(?!`)")
# An element of a list that is only a link to a section of a page.
SECTION = re.compile(r"^- <doc:[^>]*#[^>]*>\s*$")
PUBLIC = re.compile(r"\b(?:public|open)\b(?!\s*import)")
TYPE = re.compile(r"\b(struct|class|enum|protocol|actor|extension|typealias|associatedtype)\s+`?([\w.]+)")
MEMBER = re.compile(r"\b(?:func|var|let)\s+`?([^\s`(<:={]+)|\b(init|subscript)\b")
CASES = re.compile(r"(?:^\s*(?:indirect )?case |,\s*)`?(\w+)`?(?:\(|,|\s*=|\s*$)")
# An attribute on a line of its own, whose declaration follows.
ATTRIBUTE = re.compile(r"^\s*(?:@(?!.*\b(?:public|open|func|var|let|init)\b)[\w()\",.:* ]+\s*$|#if|#else|#endif)")


class Source:
    """The public names that a file declares, and the comments of their declarations."""

    def __init__(self, path):
        self.names, self.comments = set(), []
        # The enclosing declarations: the column, and whether their members are public without saying so.
        outer, comment = [], []
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            text = line.strip()
            column = len(line) - len(line.lstrip())
            if text.startswith("///"):
                comment.append((number, text[3:]))
                continue
            if not text or text.startswith("//") or ATTRIBUTE.match(line):
                continue
            while outer and column <= outer[-1][0]:
                outer.pop()
            kind = TYPE.search(text.split("{")[0].split("//")[0])
            inside = outer[-1][1] if outer else None
            is_case = bool(re.match(r"(?:indirect )?case\b", text))
            public = bool(PUBLIC.search(text)) or inside == "protocol" or (inside == "enum" and is_case)
            if public:
                self.declare(text, kind, is_case)
                self.comments += comment
            if kind and kind[1] not in ("typealias", "associatedtype") and not text.endswith("}"):
                implied = kind[1] if public and kind[1] in ("protocol", "enum") else None
                # The cases of an enumeration are in its declaration, not in its extensions.
                outer.append((column, implied))
            comment = []

    def declare(self, text, kind, is_case):
        if is_case:
            self.names |= set(CASES.findall(text.split("//")[0]))
        elif kind:
            self.names.add(kind[2].split(".")[-1])
        elif member := MEMBER.search(text):
            self.names.add(member[1] or member[2])


def words(link):
    """The names in the path of a link, without the labels of functions and without what tells overloads apart."""
    for part in link.strip("/").split("/"):
        yield re.sub(r"-(?:\w+|\(.*|->.*)$", "", re.sub(r"\(.*", "", part)) or part


class Module:
    """The public names of a module, and the comments and pages that link to them."""

    def __init__(self, name):
        sources = [(path, Source(path)) for path in files(f"Sources/*/{name}/**/*.swift")]
        self.name = name
        self.names = set().union(*(source.names for _, source in sources))
        self.texts = [(path, source.comments) for path, source in sources]
        self.texts += [(path, list(prose(path))) for path in files(f"Sources/*/{name}/*.docc/**/*.md")]


def files(pattern):
    return sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))


def unknown(link, module, modules):
    """The first name in a link that is no public name of the module, or `None`.

    A link to a member that the module adds to another module's type begins with the name of that module.
    """
    path = list(words(link))
    names = module.names
    if path[0] in modules:
        names = names | modules[path[0]].names
        path = path[1:]
    return next((word for word in path if word not in names), None)


def main():
    modules = {module.name: module for module in map(Module, (os.path.basename(path) for path in files("Sources/*/*")))}
    count, broken = 0, []
    for module in modules.values():
        for path, lines in module.texts:
            for number, text in lines:
                if SECTION.match(text):
                    broken.append((path, number, "DocC permits no link to a section of a page in a list of topics"))
                for link in LINK.findall(text):
                    count += 1
                    if word := unknown(link, module, modules):
                        broken.append((path, number, f"``{link}``: {module.name} declares no public {word}"))
    # The catalogue of the package has no declarations, and shows the pages of Documentation/ by symbolic links.
    for page in files("Documentation/SwiftStorageAuth/*.docc/**/*.md"):
        if not open(page, encoding="utf-8").read().startswith("# "):
            broken.append((page, 1, "a page starts with a heading; is this a symbolic link that became a file?"))
        for number, text in prose(page):
            for link in LINK.findall(text):
                if not os.path.islink(page) and link.strip("/") not in [*modules, "SwiftStorageAuth"]:
                    broken.append((page, number, f"``{link}``: there is no such module"))
    for path, number, reason in broken:
        print(f"{os.path.relpath(path, ROOT)}:{number}: {reason}")
    if broken or not count:
        print(f"symbols: {len(broken)} problems with {count} links; write the names of other modules in `code`")
        return 1
    print(f"symbols: {count} links to symbols in {len(modules)} modules resolve")
    return 0


if __name__ == "__main__":
    sys.exit(main())
