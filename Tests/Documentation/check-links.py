#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Checks the links of the README, of Documentation/, of the catalogues and of .github; needs no network and no build.

A relative link leads to a file of the repository and, with a fragment, to a heading, by the rules of GitHub;
<doc:Name> to a page or a tutorial of its catalogue; a link outside is an https URL. DocC checks the
links to symbols (`make docs`).
"""
import glob
import os
import re
import sys
import urllib.parse

from pages import ROOT, anchors, pages, prose

SITE = os.path.join(ROOT, "Documentation/SwiftStorageAuth/SwiftStorageAuth.docc")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^\s)>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s+\".*\")?\s*$")
AUTOLINK = re.compile(r"<((?:https?|doc|mailto):[^\s>]*)>")
HTML = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")
REFERENCE = re.compile(r"@(?:TutorialReference|Links?)\(\s*tutorial:\s*\"([^\"]*)\"")
HOST = re.compile(r"^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$")


def links(page):
    """The lines and the targets of the links of a page, which may go over the end of a line."""
    lines = [(number, CODE.sub(lambda code: "x" * len(code.group()), line)) for number, line in prose(page)]
    text = "".join(line for _, line in lines)
    starts, offset = [], 0
    for number, line in lines:
        starts.append((offset, number))
        offset += len(line)
    for pattern in (LINK, AUTOLINK, HTML, REFERENCE, re.compile(DEFINITION.pattern, re.MULTILINE)):
        for match in pattern.finditer(text):
            yield max(number for start, number in starts if start <= match.start()), match.group(1)


def catalogue(page):
    """The folder of the page's catalogue, or `None` if it is in none."""
    folder = os.path.dirname(page)
    while folder.startswith(ROOT + os.sep):
        if folder.endswith(".docc"):
            return folder
        folder = os.path.dirname(folder)
    return None


def names(folder):
    """What <doc:Name> finds in a catalogue: its pages and its tutorials."""
    return {os.path.splitext(os.path.basename(path))[0]: path for kind in ("md", "tutorial")
            for path in glob.glob(os.path.join(folder, "**/*." + kind), recursive=True)}


def problem(page, link):
    """What is wrong with a link, or `None`."""
    url = urllib.parse.urlsplit(link)
    if url.scheme == "doc":
        folder = catalogue(page)
        if not folder:
            return "only pages of a catalogue can use doc: links"
        parts = url.path.strip("/").split("/")
        if url.path.startswith("/") and len(parts) == 2:
            found = [path for path in glob.glob(os.path.join(ROOT, "Sources/*/*/*.docc"))
                     if os.path.basename(path) == parts[0] + ".docc"]
            return None if found and parts[1] in names(found[0]) else "no such page in that module's catalogue"
        return None if parts[-1] in names(folder) else "the catalogue has no such page or tutorial"
    if url.scheme == "mailto":
        return None
    if url.scheme or link.startswith("//"):
        if url.scheme != "https":
            return "a link outside is an https URL"
        if url.username or url.password or not HOST.match(url.hostname or ""):
            return "the host is not the name of a host"
        if re.search(r"[^!-~]|%(?![0-9A-Fa-f]{2})", link):
            return "the URL has characters that must be percent-encoded"
        return None
    if link.startswith("/"):
        return "a path from the root of the site leads elsewhere in a checkout; use a relative one"
    path = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(url.path))) if url.path else page
    if not path.startswith(ROOT):
        return "the file is outside of the repository"
    if not os.path.exists(path):
        return "there is no such file"
    if path.endswith((".svg", ".png")) and os.path.islink(os.path.join(SITE, os.path.basename(page))):
        if not os.path.exists(os.path.join(SITE, "Resources", os.path.basename(path))):
            return "the site has no such picture: link it into the Resources of its catalogue"
    if url.fragment:
        if not path.endswith(".md"):
            return None if re.fullmatch(r"L\d+(-L\d+)?", url.fragment) else "only pages have headings"
        if urllib.parse.unquote(url.fragment) not in set(anchors(path)):
            return "the page has no such heading"
    return None


def main():
    count, broken = 0, []
    tutorials = sorted(glob.glob(os.path.join(ROOT, "Documentation/**/*.tutorial"), recursive=True))
    checked = pages() + tutorials
    for page in checked:
        for line, link in sorted(set(links(page))):
            count += 1
            if reason := problem(page, link):
                broken.append(f"{os.path.relpath(page, ROOT)}:{line}: {link}: {reason}")
    print("\n".join(broken), end="\n" if broken else "")
    if broken or not count:
        print(f"links: {len(broken)} of {count} links on {len(checked)} pages do not resolve")
        return 1
    print(f"links: {count} links on {len(checked)} pages resolve")
    return 0


if __name__ == "__main__":
    sys.exit(main())
