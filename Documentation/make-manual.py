#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Prints the manual page of storage-auth in the format of man(7), from the descriptions in the program itself.

The only argument is the path of the program.
"""
import json
import subprocess
import sys


def escape(text):
    """Text as roff reads it: no line starts with a control character, and hyphens stay hyphens."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    lines = "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text).split("\n")
    return "\n".join(("\\&" if line[:1] in ".'" else "") + line.strip() for line in lines if line.strip())


def spelled(argument):
    """The names of an argument with its value, such as "-o, --output <file>"."""
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    value = f"<{argument['valueName']}>" if argument["kind"] != "flag" else ""
    return " ".join(filter(None, [", ".join(names), value]))


def section(command, path):
    """The lines of a command and of the commands below it."""
    if not command.get("shouldDisplay", True) or command["commandName"] == "help":
        return
    name = " ".join(path + [command["commandName"]])
    if path:
        yield f".SS {escape(name)}"
    yield escape(command.get("abstract", ""))
    for paragraph in command.get("discussion", "").split("\n\n"):
        if paragraph.strip():
            yield ".PP"
            if "Example" in paragraph:
                yield ".nf\n" + escape(paragraph) + "\n.fi"
            else:
                yield escape(" ".join(paragraph.split()))
    for argument in command.get("arguments", []):
        if argument.get("shouldDisplay", True) and spelled(argument) not in ("-h, --help", "--help", "--version"):
            yield ".TP"
            yield f"\\fB{escape(spelled(argument))}\\fR"
            default = f" The default is {argument['defaultValue']}." if argument.get("defaultValue") else ""
            yield escape(argument.get("abstract", "") + default) or "\\&"
    for below in command.get("subcommands", []):
        yield from section(below, path + [command["commandName"]])


STATUSES = [
    ("0", "The command did what it was asked for."),
    ("1", "A transfer, a request or a check failed; the error is on standard error. aspera probe: also another failure."),
    ("2, 3, 4", "aspera probe only: see its description."),
    ("64", "The arguments are wrong, or a file that they name cannot be used; no request was sent."),
    ("130, 143", "The command was interrupted by SIGINT or SIGTERM. serve and token-server stop cleanly with 0."),
]


def main():
    program = sys.argv[1]
    description = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    command = json.loads(description)["command"]
    print('.TH STORAGE\\-AUTH 1 "" "swift\\-storage\\-auth"')
    print(f".SH NAME\nstorage\\-auth \\- {escape(command['abstract'])}")
    print(".SH SYNOPSIS\n.B storage\\-auth\n.I command\n[options]")
    print(".SH DESCRIPTION")
    lines = list(section({**command, "subcommands": []}, []))
    print("\n".join(lines[1:]))
    print(".SH COMMANDS")
    for below in command["subcommands"]:
        for line in section(below, [command["commandName"]]):
            print(line)
    print(".SH EXIT STATUS")
    for status, meaning in STATUSES:
        print(f".TP\n\\fB{escape(status)}\\fR\n{escape(meaning)}")


if __name__ == "__main__":
    main()
