# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Runs storage-auth like a script."""

import json
import os
import subprocess
from typing import Any

from local_cloud import Account, tool

TIME_LIMIT = 120


def run(*arguments: str, account: Account, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a command with the keys of an account in its environment, and checks its exit status."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "")} | account.environment
    done = subprocess.run(
        [tool(), *arguments], env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    if done.returncode != status:
        raise AssertionError(
            f"storage-auth {arguments[0]} ended with status {done.returncode} and not {status}: {done.stderr}")
    return done


def sign(requests: list[dict[str, Any]], status: int = 0) -> list[dict[str, Any]]:
    """Sends requests to `sign --jsonl` and returns the responses in the order of the requests."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        [tool(), "sign", "--jsonl"], input=lines, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    if done.returncode != status:
        raise AssertionError(f"sign --jsonl ended with status {done.returncode} and not {status}: {done.stderr}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(requests):
        raise AssertionError(f"{len(requests)} requests, {len(answers)} responses")
    return answers
