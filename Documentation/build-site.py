#!/usr/bin/env python3
# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Builds the documentation of all public modules as one web site in .build/docs, with swift-docc-plugin; `make docs`.

Every warning of DocC is an error. The pages link each other by the paths of their files, which works in a checkout and
on GitHub; this script replaces those paths by the addresses of the pages in the site, and fails if a page is missing.
"""
import glob
import json
import os
import posixpath
import subprocess
import sys
import urllib.parse

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Tests/Documentation"))
from pages import slug

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = os.path.join(ROOT, ".build/docs")
CATALOGUE = "SwiftStorageAuth"


def repository():
    """The address of the files that are no pages of the site: at the remote of the checkout, or on this machine."""
    remote = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return f"{remote.removesuffix('.git')}/blob/main/" if remote.startswith("https://") else f"file://{ROOT}/"


REPOSITORY = repository()


def swift(*arguments, **options):
    environment = {**os.environ, "STORAGE_AUTH_DOCS": "1"}
    return subprocess.run([*os.environ.get("SWIFT", "swift").split(), *arguments], cwd=ROOT, env=environment, **options)


def modules():
    """The targets of the library products, and that of the package's catalogue."""
    manifest = json.loads(swift("package", "dump-package", check=True, capture_output=True, text=True).stdout)
    libraries = [product["targets"] for product in manifest["products"] if "library" in product["type"]]
    return [target for targets in libraries for target in targets] + [CATALOGUE]


def sources():
    """The folder of the catalogue of each module, in the lower case of the site's addresses."""
    found = {}
    for pattern in ["Sources/*/*/*.docc", f"Documentation/{CATALOGUE}/*.docc"]:
        for path in glob.glob(os.path.join(ROOT, pattern)):
            found[os.path.basename(path)[:-len(".docc")].lower()] = path
    return found


def address(folder, link, pages):
    """The address of what a page in a folder links: in the site if it is there, else in the repository; or `None`."""
    path, _, fragment = link.partition("#")
    target = os.path.realpath(os.path.join(folder, path))
    if not os.path.exists(target):
        return None
    if target in pages:
        return pages[target] + (site_anchor(pages[target], fragment) if fragment else "")
    anchor = f"#{fragment}" if fragment else ""
    return REPOSITORY + posixpath.join(*os.path.relpath(target, ROOT).split(os.sep)) + anchor


def site_anchor(url, fragment):
    """The anchor that DocC gives the heading for which GitHub has this one; DocC keeps the case of letters."""
    def find(value):
        if isinstance(value, dict):
            if value.get("type") == "heading" and slug(value["text"]) == fragment:
                return value["anchor"]
            value = list(value.values())
        return next(filter(None, map(find, value)), None) if isinstance(value, list) else None

    with open(f"{SITE}/data{url}.json", encoding="utf-8") as file:
        return "#" + (find(json.load(file)) or fragment)


def rewrite(value, url, folder, pages, broken):
    """Replaces the relative links in the data of the page at an address of the site."""
    if isinstance(value, list):
        return [rewrite(element, url, folder, pages, broken) for element in value]
    if not isinstance(value, dict):
        return value
    value = {key: rewrite(member, url, folder, pages, broken) for key, member in value.items()}
    if value.get("type") == "link":
        for member in {"url", "destination"} & value.keys():
            link = value[member]
            if link.startswith("#"):
                value[member] = site_anchor(url, link[1:])
            elif not (link.startswith("/") or urllib.parse.urlsplit(link).scheme):
                replacement = address(folder, link, pages)
                if replacement is None:
                    broken.add(link)
                value[member] = replacement or link
    return value


def main():
    targets = [argument for module in modules() for argument in ("--target", module)]
    outcome = swift(
        "package", "--traits", "CommandLine", "--allow-writing-to-directory", SITE, "generate-documentation",
        "--enable-experimental-combined-documentation", *targets, "--output-path", SITE, "--warnings-as-errors",
        *sys.argv[1:])
    if outcome.returncode:
        print("docs: DocC found errors or warnings, see above")
        return 1
    pages, folders = {}, {}
    for name, catalogue in sources().items():
        folders[f"/documentation/{name}"] = catalogue
        for page in glob.glob(os.path.join(catalogue, "**/*.md"), recursive=True):
            stem = os.path.basename(page)[:-len(".md")].lower()
            url = f"/documentation/{name}" + ("" if stem == name else f"/{stem}")
            pages[os.path.realpath(page)] = url
            folders[url] = os.path.dirname(os.path.realpath(page))
    missing = [page for page, url in pages.items() if not os.path.exists(f"{SITE}/data{url}.json")]
    for page in missing:
        print(f"docs: {os.path.relpath(page, ROOT)} is not in the site")
    broken = set()
    for path in [] if missing else glob.glob(f"{SITE}/data/**/*.json", recursive=True):
        url = path[len(f"{SITE}/data"):-len(".json")]
        folder = folders.get(url) or folders.get("/".join(url.split("/")[:3]))
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        if folder and (changed := rewrite(data, url, folder, pages, broken)) != data:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(changed, file, separators=(",", ":"))
    for link in sorted(broken):
        print(f"docs: the link {link} leads to no file")
    if missing or broken:
        return 1
    print(f"docs: {len(targets) // 2} modules, {len(pages)} pages. The site is {SITE}; to read it:")
    print(f"  python3 -m http.server --directory {SITE} 8000   # http://localhost:8000/documentation/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
