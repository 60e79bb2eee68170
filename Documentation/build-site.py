#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Builds the documentation of all public modules as one web site in .build/docs, with DocC; `make docs` builds them first.

Every warning of DocC is an error. The pages link each other by the paths of their files, which works in a checkout and
on GitHub; this script replaces those paths by the addresses of the pages in the site, and fails if a page is missing.
"""
import concurrent.futures
import glob
import graphlib
import json
import os
import posixpath
import shutil
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(ROOT, "Tests"), os.path.join(ROOT, "Tests/Documentation")]
from built_modules import binaries, run, settings
from pages import slug

DOCC = ["xcrun", "docc"] if sys.platform == "darwin" else ["docc"]
SITE = os.path.join(ROOT, ".build/docs")
# The symbols of each module, and its part of the site.
PARTS = os.path.join(ROOT, ".build/docs-parts")
CATALOGUE = "SwiftStorageAuth"


def repository():
    """The address of the files that are no pages of the site: at the remote of the checkout, or on this machine."""
    remote = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return f"{remote.removesuffix('.git')}/blob/main/" if remote.startswith("https://") else f"file://{ROOT}/"


REPOSITORY = repository()


def libraries(manifest):
    """The modules of the library products, each with those of them that it depends on."""
    public = {target for product in manifest["products"] if "library" in product["type"] for target in product["targets"]}
    targets = {target["name"]: target for target in manifest["targets"]}

    def needed(name):
        found = {dependency["target"][0] for dependency in targets[name]["dependencies"] if "target" in dependency}
        return found.union(*map(needed, found))

    return {name: needed(name) & public for name in public}


class Part:
    """A module's part of the site."""

    def __init__(self, name, dependencies):
        self.name, self.dependencies = name, dependencies
        self.symbols = os.path.join(PARTS, name)
        self.archive = os.path.join(PARTS, f"{name}.doccarchive")

    def extract(self, options):
        """Writes the module's symbols."""
        os.makedirs(self.symbols)
        if self.name == CATALOGUE:
            source = os.path.join(ROOT, f"Documentation/{CATALOGUE}/{CATALOGUE}.swift")
            run("swiftc", "-emit-module", "-emit-symbol-graph", "-emit-symbol-graph-dir", self.symbols, source, "-module-name",
                CATALOGUE, "-o", os.path.join(self.symbols, f"{CATALOGUE}.swiftmodule"))
        else:
            run("swift", "symbolgraph-extract", "-module-name", self.name, "-output-dir", self.symbols,
                "-minimum-access-level", "public", "-emit-extension-block-symbols", *options)

    def build(self, catalogue, parts):
        """Builds the part, with links to those of the modules that this one depends on; returns what DocC has to say."""
        # DocC copies a symbolic link as such, which leads to no file of the site.
        pages = os.path.join(PARTS, f"{self.name}.docc")
        if catalogue:
            shutil.copytree(catalogue, pages)
        links = [argument for name in sorted(self.dependencies) for argument in ("--dependency", parts[name].archive)]
        outcome = subprocess.run(
            [*DOCC, "convert", *([pages] if catalogue else []), "--additional-symbol-graph-dir", self.symbols,
             "--fallback-display-name", self.name, "--fallback-bundle-identifier", self.name, "--warnings-as-errors",
             "--enable-experimental-external-link-support", *links, "--output-path", self.archive],
            cwd=ROOT, capture_output=True, text=True)
        return outcome.stdout + outcome.stderr if outcome.returncode else ""


def build():
    """Builds the site from a part for each module; returns what DocC has to say, which is empty if there is no warning."""
    for folder in (SITE, PARTS):
        shutil.rmtree(folder, ignore_errors=True)
    manifest = json.loads(run("swift", "package", "dump-package"))
    modules = libraries(manifest)
    modules[CATALOGUE] = set(modules)
    parts = {name: Part(name, dependencies) for name, dependencies in modules.items()}
    catalogues, options = sources(), settings(binaries())
    messages = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda part: part.extract(options), parts.values()))
        order = graphlib.TopologicalSorter(modules)
        order.prepare()
        running = {}
        while order.is_active() and not any(messages):
            for name in order.get_ready():
                running[pool.submit(parts[name].build, catalogues.get(name.lower()), parts)] = name
            for done in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                messages.append(done.result())
                order.done(running.pop(done))
    if not any(messages):
        run(*DOCC, "merge", *(parts[name].archive for name in sorted(parts)), "--output-path", SITE,
            "--synthesized-landing-page-name", manifest["name"])
    return parts, "".join(messages)


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
    parts, messages = build()
    if messages:
        print(messages, "docs: DocC found errors or warnings, see above", sep="\n")
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
    print(f"docs: {len(parts)} modules, {len(pages)} pages. The site is {SITE}; to read it:")
    print(f"  python3 -m http.server --directory {SITE} 8000   # http://localhost:8000/documentation/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
