#!/usr/bin/env python3
# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests that the check finds paths that are split as characters."""

import importlib.util
import os
import unittest

spec = importlib.util.spec_from_file_location(
    "check_bytes", os.path.join(os.path.dirname(os.path.abspath(__file__)), "check-bytes.py"))
check_bytes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_bytes)


class CheckBytesTests(unittest.TestCase):
    def test_finds_characters(self):
        for line in (
            'let names = path.split(separator: "/")', 'text.split("/", maxSplits: 1)', 'if key.hasPrefix("../") {',
            'key.hasSuffix("/")', 'if path.first == "/" {', 'path.lastIndex(of: "/")', 'name.contains("/")',
            'path.drop { $0 == "/" }', 'path.components(separatedBy: slash)', "url.pathComponents",
        ):
            self.assertEqual(len(check_bytes.findings([line])), 1, line)

    def test_permits_bytes(self):
        for line in (
            'let names = path.words(between: "/")', 'key.hasBytePrefix("../")', 'name.hasByte("/")',
            '// path.split(separator: "/")', 'text.split(separator: ",")', 'path.utf8.lastIndex(of: UInt8(ascii: "/"))',
        ):
            self.assertEqual(check_bytes.findings([line]), [], line)


if __name__ == "__main__":
    unittest.main()
