# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Replaces what differs between two runs of an example by placeholders."""
import re

# The patterns and their replacements, in the order in which they are applied.
RULES = [(re.compile(pattern), replacement) for pattern, replacement in [
    (r"\b127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    # Dates, times and durations.
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", "DATE"),
    (r"\b\d{8}T\d{6}Z", "DATE"),
    (r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "DATE"),
    (r"\b\d{10};\d{10}\b", "START;END"),
    (r"(?<=/)20\d{6}(?=/)", "DAY"),
    (r"\b\d+ seconds(?= ago)|(?<=valid for )\d+ seconds|\b\d+ min(?= before)", "DURATION"),
    # Signatures and policies, which contain dates.
    (r"\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b", "SIGNATURE"),
    (r"(?<=OSS example-id:)[A-Za-z0-9+/]{27}=", "SIGNATURE"),
    (r"(?<=\")eyJ[A-Za-z0-9+/]+=*(?=\")", "POLICY"),
    # The IDs of temporary keys and of requests, and random secrets.
    (r"\bSTS\.[A-Za-z0-9]+|\bAKID[A-Za-z0-9]{60,}|\bASIA[A-Z0-9]{16}\b", "KEY"),
    (r"(?<=<RequestId>)[^<]+|(?<=<TraceId>)[^<]+", "ID"),
    (r'(?<="secret":")[a-z0-9]+', "SECRET"),
]]
# The sections whose lines come from concurrent tasks, in any order.
UNORDERED = {"# from a callback"}


def normalized(lines):
    """The lines with placeholders, without repetitions, and with the lines of unordered sections in a fixed order."""
    sections, audits = [[]], set()
    for line in lines:
        for pattern, replacement in RULES:
            line = pattern.sub(replacement, line)
        # On a slow machine a key that lives ten seconds is renewed more often.
        if line.startswith("  audit: "):
            if line in audits:
                continue
            audits.add(line)
        if line.startswith("#"):
            sections.append([])
        if not sections[-1] or sections[-1][-1] != line:
            sections[-1].append(line)
    return [line for section in sections for line in in_order(section)]


def in_order(section):
    return section[:1] + sorted(section[1:]) if section and section[0] in UNORDERED else section
