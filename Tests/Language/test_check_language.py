# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests that check-language.py finds what it exists for, and leaves correct sources alone."""
import importlib.util
import os
import unittest

SPEC = importlib.util.spec_from_file_location(
    "check_language", os.path.join(os.path.dirname(os.path.abspath(__file__)), "check-language.py"))
CHECK = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(CHECK)


class LanguageTests(unittest.TestCase):
    def found(self, source, name="Sources/A/A.swift"):
        return [line for line, _ in CHECK.findings(name, source)]

    def test_private_words_are_found_in_comments_and_messages_only(self):
        self.assertEqual(self.found("// Nobody waits.\n"), [1])
        self.assertEqual(self.found('let a = "x"\nlet b = "\\(a) whoever"\n'), [2])
        self.assertEqual(self.found("/* one\n/* two */ nothing */\n"), [2])
        self.assertEqual(self.found('let b = #"a \\#(f("nothing")) b"#\n'), [1])
        self.assertEqual(self.found("case .nothing: somebody()\nlet a = #/nobody/#\n"), [])
        self.assertEqual(self.found('let code = "NOTHING"\n'), [])
        self.assertEqual(self.found('let id = "nobody"\n', "Tests/ATests/A.swift"), [])
        self.assertEqual(self.found("# Page\n\nSomebody asks.\n", "Documentation/A.md"), [3])

    def test_summaries_start_with_a_verb_or_a_noun_phrase(self):
        self.assertEqual(self.found("/// What it is.\nlet a = 1\n"), [1])
        self.assertEqual(self.found("/// The key.\n///\n/// What follows is free.\nlet a = 1\n"), [])

    def test_public_throwing_functions_say_what_they_throw(self):
        for declaration in [
            "public func a() throws {", "public init(\n  _ a: Int\n) throws(E) {",
            "@discardableResult\npublic static func a() async throws -> Int {", "public mutating func a(b: () -> Int) throws {",
        ]:
            self.assertEqual(len(self.found(f"/// Does it.\n{declaration}\n")), 1, declaration)
            self.assertEqual(self.found(f"/// Does it.\n///\n/// - Throws: An error.\n{declaration}\n"), [], declaration)
        self.assertEqual(self.found("public protocol P {\n  /// Does it.\n  func a() throws\n}\nfunc b() throws {}\n"), [3])
        for declaration in ["func a() throws {", "public func a(_ b: () throws -> Int) {", "public func a() throws(Never) {"]:
            self.assertEqual(self.found(f"/// Does it.\n{declaration}\n"), [], declaration)


if __name__ == "__main__":
    unittest.main()
