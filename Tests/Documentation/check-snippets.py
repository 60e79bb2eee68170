#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Compiles the Swift of the README, of Documentation/, of the catalogues and of the tutorials with the built libraries.

Run after `swift build --traits CommandLine --build-tests`, from anywhere. Each block becomes a function; `Names.swift` declares what the text
around it supposes, such as a key or a file. A block with imports gets these alone. Any other gets StorageClient on the pages
for which that is enough, and all modules elsewhere. The line of a manifest is passed over. In a column of a table with the
heading "here in Swift", each span of code becomes a function too; a row without one has to say that it is "not here". The
heading can name further modules: "here in Swift, with `Foundation`".
The files of a tutorial are compiled whole, at each step, together with those that the earlier steps left in the same
folder; a folder is a module that later ones can import. Nothing is linked or run.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from built_modules import ROOT, binaries, run, settings
from pages import blocks, prose, steps

NAMES = os.path.join(ROOT, "Tests/Documentation/Names.swift")
EVERYTHING = [
    "AsperaAuth", "AsperaClient", "AsperaTransfer", "COSAuth", "CredentialSources", "HTTPTypes", "Hummingbird", "LocalCloud", "Logging",
    "OSSAuth", "S3Auth", "ServiceLifecycle", "StorageAuth", "StorageAuthRedis", "StorageAuthServer", "StorageAuthTesting",
    "StorageClient", "StorageClientTesting", "StorageConfiguration", "StorageDiagnosis", "StorageOperations", "UnixSignals", "XCTest",
]
CLIENT_PAGES = {"README": "StorageClient", "Aspera": "AsperaClient", "AsperaAccounts": "AsperaClient",
                "AsperaQueue": "AsperaClient", "AsperaTokens": "AsperaClient", "CachingCredentials": "StorageClient",
                "CredentialServices": "StorageClient", "Credentials": "StorageClient",
                "MigratingFromVendorSDKs": "AsperaClient", "S3": "StorageClient", "StorageClient": "StorageClient",
                "UsingTheClient": "StorageClient"}
COMPILED = "here in Swift"
ABSENT = "not here"
IMPORTS = ("import ", "#if canImport", "#endif")
SPAN = re.compile(r"`([^`]+)`")


def pages():
    found = [os.path.join(ROOT, "README.md")]
    for pattern in ["Documentation/*.md", "Sources/*/*/*.docc/**/*.md"]:
        found += sorted(glob.glob(os.path.join(ROOT, pattern), recursive=True))
    return found


def row(line):
    """The cells of a line of a table, or no cells if the line is not of a table."""
    line = line.strip()
    if not line.startswith("|") or not line.endswith("|"):
        return []
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line[1:-1])]


def cells(page):
    """The number of each line of a table that has a column of code, the modules that the heading of the column names, and
    the cell in that column, or `None` if the line has more or fewer cells than the heading."""
    heading = None
    for number, line in prose(page):
        found = row(line)
        if not found:
            heading = None
        elif heading is None:
            heading = found
            column = next((cell for cell in heading if cell.split(",")[0] == COMPILED), None)
        elif column and not set("".join(found)) <= set("-:"):
            cell = found[heading.index(column)] if len(found) == len(heading) else None
            yield number, tuple(SPAN.findall(column)), cell


def head(page):
    """The name of the page, and the imports of what has none of its own."""
    name = re.sub(r"\W", "", os.path.splitext(os.path.basename(page))[0])
    modules = [CLIENT_PAGES[name]] if name in CLIENT_PAGES else EVERYTHING
    return name, [f"import {module}\n" for module in modules]


def function(page, name, first, body):
    """A function whose errors name the place in the page."""
    return (
        f"static func {name}() async throws {{\n"
        f'#sourceLocation(file: "{os.path.relpath(page, ROOT)}", line: {first})\n'
        + body + "#sourceLocation()\n}\n")


def source(page, first, lines):
    """A file with a block: imports first, the rest in a function of the page's type."""
    imports = [line for line in lines if line.lstrip().startswith(IMPORTS)]
    name, others = head(page)
    body = ["\n" if line in imports else line for line in lines]
    return "".join(imports or others) + (
        f"extension {name}Page {{\n" + function(page, f"block{first}", first, "".join(body)) + "}\n")


def table_sources(page):
    """Files with the code of the tables of a page, one for each list of further modules, the number of functions in them,
    and what is wrong with other rows."""
    functions, complaints = {}, ""
    for number, modules, cell in cells(page):
        spans = SPAN.findall(cell or "")
        if cell is None or not spans and not cell.startswith(ABSENT):
            reason = f'no code, and does not say "{ABSENT}"' if cell is not None else "another number of cells"
            complaints += f"{os.path.relpath(page, ROOT)}:{number}: the row has {reason}\n"
        for index, span in enumerate(spans):
            functions.setdefault(modules, []).append(
                function(page, f"cell{number}_{index}", number, span.replace("\\|", "|") + "\n"))
    name, imports = head(page)
    sources = []
    for modules, found in functions.items():
        others = [f"#if canImport({module})\nimport {module}\n#endif\n" for module in modules]
        sources.append("".join(imports + others) + f"extension {name}Page {{\n" + "".join(found) + "}\n")
    return sources, sum(map(len, functions.values())), complaints


def compiler(*arguments, **options):
    """Compiles without linking. After an error the compiler deletes its output, which therefore is a file to delete:
    with /dev/null, root would lose the device."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            ["swiftc", "-emit-sil", "-o", os.path.join(folder, "output.sil"), "-swift-version", "6",
             "-suppress-warnings", *arguments], cwd=ROOT, text=True, **options)


def manifest_settings():
    """The arguments for a manifest."""
    paths = json.loads(run("swift", "-print-target-info"))["paths"]
    return ["-I", os.path.join(paths["runtimeResourcePath"], "pm/ManifestAPI"), "-package-description-version", "6.3"]


def check_tutorial(path, libraries, manifests):
    """Compiles the code of a tutorial after each of its steps; returns the files and what the compiler says."""
    resources = os.path.join(os.path.dirname(os.path.dirname(path)), "Resources")
    present, used, complaints = {}, [], ""
    captured = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with tempfile.TemporaryDirectory() as modules:
        for name, file in steps(path):
            present[name] = os.path.relpath(os.path.join(resources, file), ROOT)
            used.append(present[name])
            folder = os.path.dirname(name)
            if not folder:
                outcome = compiler(*manifests, present[name], **captured)
            else:
                module = os.path.basename(folder)
                files = [present[other] for other in present if os.path.dirname(other) == folder]
                outcome = compiler(
                    "-parse-as-library", "-whole-module-optimization", "-module-name", module, "-emit-module",
                    "-emit-module-path", os.path.join(modules, module + ".swiftmodule"), "-I", modules, *libraries,
                    *files, **captured)
            if outcome.returncode:
                complaints += f"{os.path.relpath(path, ROOT)}: the step with {file} does not compile\n{outcome.stdout}"
    return used, complaints


def check_tutorials():
    """Compiles the code of all tutorials; returns the number of files, or 0 if one does not compile or is not used."""
    tutorials = sorted(glob.glob(os.path.join(ROOT, "Documentation/**/*.tutorial"), recursive=True))
    libraries, manifests = settings(binaries()), manifest_settings()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: check_tutorial(path, libraries, manifests), tutorials))
    used = {file for files, _ in results for file in files}
    complaints = "".join(text for _, text in results)
    for path in sorted(glob.glob(os.path.join(ROOT, "Documentation/**/Resources/*.swift"), recursive=True)):
        if os.path.relpath(path, ROOT) not in used:
            complaints += f"{os.path.relpath(path, ROOT)} is in no tutorial\n"
    print(complaints, end="")
    return 0 if complaints else len(used)


def main():
    blocks_found, cells_found, complaints = 0, 0, ""
    with tempfile.TemporaryDirectory() as folder:
        files = [NAMES]

        def add(page, suffix, text):
            path = os.path.join(folder, f"{os.path.splitext(os.path.basename(page))[0]}{suffix}.swift")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            files.append(path)

        for page in pages():
            for first, lines in blocks(page):
                if any(line.startswith(".package(") for line in lines):
                    continue
                add(page, first, source(page, first, lines))
                blocks_found += 1
            sources, count, wrong = table_sources(page)
            complaints += wrong
            cells_found += count
            for index, text in enumerate(sources):
                add(page, f"Tables{index}", text)
        outcome = compiler(
            "-module-name", "Snippets", "-parse-as-library", "-enable-upcoming-feature", "MemberImportVisibility",
            "-whole-module-optimization", *settings(binaries()), *files)
    print(complaints, end="")
    if outcome.returncode or complaints or not blocks_found or not cells_found:
        print(f"snippets: some of {blocks_found} blocks and {cells_found} cells of Swift in the documentation do not compile")
        return 1
    print(f"snippets: {blocks_found} blocks and {cells_found} cells of Swift in the documentation compile")
    files = check_tutorials()
    if not files:
        print("snippets: some code of the tutorials does not compile")
        return 1
    print(f"snippets: {files} files of Swift in the tutorials compile")
    return 0


if __name__ == "__main__":
    sys.exit(main())
