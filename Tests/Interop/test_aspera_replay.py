# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Sends the recorded requests of aspera-cli to LocalCloud's node, and compares the responses.

The responses are those that aspera-cli understood when its commands were recorded; a response may have more fields than
the recorded one. Values that differ with each run, such as times and tokens, are compared by their types; identifiers are
compared by where they occur.
"""

import json
import unittest
from typing import Any

from aspera_cli_case import RECORDING, SERVE_OPTIONS, node_request, seed
from local_cloud import LocalCloud

# Fields whose values differ with each run.
VOLATILE = {"token", "mtime", "modified_time", "current_time", "sshfp", "ssh_port", "fasp_port", "value", "created_at",
            "last_updated_at", "access_time", "creation_time", "modification_time", "time", "cluster_id", "node_id"}
# Fields that hold identifiers.
IDENTIFIERS = {"id", "file_id", "parent_file_id", "root_file_id", "target_id", "xfer_id"}


class Replay(unittest.TestCase):
    def setUp(self) -> None:
        # The identifiers of this run, by those of the recording.
        self.identifiers: dict[str, str] = {}

    def test_recorded_requests_have_the_recorded_responses(self) -> None:
        recording = json.loads(RECORDING.read_text(encoding="utf-8"))
        count = 0
        for scenario in recording["scenarios"]:
            self.identifiers = {}
            with self.subTest(scenario["name"]), LocalCloud(options=SERVE_OPTIONS) as cloud:
                seed(cloud, {name: text.encode() for name, text in recording["seeded"].items()})
                for step in scenario["steps"]:
                    for exchange in step["exchanges"]:
                        self.replay(cloud, " ".join(step["command"]), exchange)
                        count += 1
        self.assertGreater(count, 20)

    def replay(self, cloud: LocalCloud, command: str, exchange: dict[str, Any]) -> None:
        request, expected = exchange["request"], exchange["response"]
        path = "/".join(self.identifiers.get(part, part) for part in request["path"].split("/"))
        status, body = node_request(cloud, request["method"], path, request["headers"], request["body"])
        place = f"{command}: {request['method']} {request['path']}"
        self.assertEqual(status, expected["status"], f"{place}: {body}")
        self.compare(body, expected["body"], place)

    def compare(self, found: Any, expected: Any, place: str) -> None:
        self.assertIs(type(found), type(expected), place)
        if isinstance(expected, dict):
            self.assertLessEqual(set(expected), set(found), place)
            for name, value in expected.items():
                if name in IDENTIFIERS and isinstance(value, str):
                    self.assertEqual(self.identifiers.setdefault(value, found[name]), found[name], f"{place} {name}")
                elif name in VOLATILE:
                    self.assertIs(type(found[name]), type(value), f"{place} {name}")
                else:
                    self.compare(found[name], value, f"{place} {name}")
        elif isinstance(expected, list):
            self.assertEqual(len(found), len(expected), f"{place}: {found}")
            for number, (one, other) in enumerate(zip(found, expected)):
                self.compare(one, other, f"{place} {number}")
        else:
            self.assertEqual(found, expected, place)


if __name__ == "__main__":
    unittest.main()
