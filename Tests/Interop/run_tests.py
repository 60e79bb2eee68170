# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs the tests of this directory and prints a line with their counts."""

import logging
import pathlib
import sys
import unittest


def main(names: list[str]) -> int:
    logging.disable(logging.CRITICAL)  # The COS SDK logs every error, and errors are expected.
    loader = unittest.TestLoader()
    directory = str(pathlib.Path(__file__).parent)
    suite = loader.loadTestsFromNames(names) if names else loader.discover(directory)
    result = unittest.TextTestRunner(stream=sys.stdout, warnings="ignore").run(suite)
    failed_tests = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}
    failed = len(failed_tests) + len(result.unexpectedSuccesses)
    # A class or module that is skipped as a whole has an entry, but none of its tests was run.
    skipped = sum(isinstance(test, unittest.TestCase) for test, _ in result.skipped)
    passed = max(0, result.testsRun - failed - skipped)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if result.wasSuccessful() and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
