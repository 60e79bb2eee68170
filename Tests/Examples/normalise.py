# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Replaces what differs between two runs of an example by placeholders."""
import re

# The patterns and their replacements, in the order in which they are applied.
RULES = [(re.compile(pattern), replacement) for pattern, replacement in [
    (r"\b127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", "DATE"),
    (r"\b\d{8}T\d{6}Z", "DATE"),
    (r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "DATE"),
    (r"\b\d{10};\d{10}\b", "START;END"),
    (r"(?<=/)20\d{6}(?=/)", "DAY"),
    (r"(?<=Signature=)[0-9a-f]{64}\b", "SIGNATURE"),
    (r"(?<=q-signature=)[0-9a-f]{40}\b", "SIGNATURE"),
    (r"(?<=OSS example-id:)[A-Za-z0-9+/]{27}=", "SIGNATURE"),
]]


def normalised(lines):
    """The lines with placeholders; a line that repeats the one before it is left out."""
    result = []
    for line in lines:
        for pattern, replacement in RULES:
            line = pattern.sub(replacement, line)
        line = line.rstrip()
        if not result or result[-1] != line:
            result.append(line)
    return result
