#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Counts the results of a suite, of what is claimed too, and lists the failures there: summarize.py SUITE RESULTS.xml."""

import collections
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def patterns(suite):
    section, found = None, []
    for line in (pathlib.Path(__file__).parent / "not-claimed.txt").read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif section == suite and not line.startswith("#"):
            found += line.split()
    return found


def results(path):
    """Yields the name, the outcome and the message of each test; an error in its teardown replaces its success."""
    outcomes = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = "{}.{}".format(case.get("classname"), case.get("name"))
        outcome = ("passed", "")
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                outcome = (child.tag, child.get("message") or "")
        if outcomes.get(name, ("passed",))[0] in ("passed", "skipped"):
            outcomes[name] = outcome
    return outcomes


def failing_at_the_service(path):
    """Returns the names of the tests that the suite marks as failing at the service itself."""
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return {case.get("name") for case in cases if case.find("properties/property[@name='fails_on_aws']") is not None}


def share(title, outcomes):
    ran = [outcome for outcome, _ in outcomes.values() if outcome != "skipped"]
    passed = ran.count("passed")
    print("{}: {} of {} passed ({:.1f} %)".format(title, passed, len(ran), 100 * passed / max(1, len(ran))))


suite, path = sys.argv[1:]
every = results(path)
share("all", every)
plain = {name: value for name, value in every.items() if not re.search("copy_(part_)?enc", name)}
if len(plain) < len(every):
    share("without the matrix of encryption and copies", plain)
left_out, failing = patterns(suite), failing_at_the_service(path)
claimed = {
    name: value for name, value in plain.items()
    if name.rsplit(".", 1)[-1] not in failing
    and not any(fnmatch.fnmatchcase(name.rsplit(".", 1)[-1] if suite == "s3" else name, each) for each in left_out)
}
share("of what is claimed", claimed)
causes = collections.defaultdict(list)
for name, (outcome, message) in claimed.items():
    if outcome in ("failure", "error"):
        causes[re.sub("[0-9A-Fa-f]{12,}", "…", message.replace("\n", " "))[:160]].append(name.rsplit(".", 1)[-1])
for cause, names in sorted(causes.items(), key=lambda item: -len(item[1])):
    print("{:4} {}\n     {}".format(len(names), cause, " ".join(names)))
