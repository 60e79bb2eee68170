# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Tests the rules for the Dockerfile and for compose.yaml with files that break them one by one."""

import pathlib
import unittest

import composition
import dockerfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "Examples/Deployment/compose.yaml").read_text()
VARIABLES = {"BUCKET": "photos", "ROLE": "role"}
LOCAL_CLOUD = (ROOT / "Examples/LocalCloud/compose.yaml").read_text()


class DockerfileRules(unittest.TestCase):
    def test_file_of_this_package_is_valid(self) -> None:
        self.assertEqual(dockerfile.problems(dockerfile.read(DOCKERFILE)), [])

    def test_each_rule_is_checked(self) -> None:
        for old, new, words in [
            ("debian:bookworm-slim", "debian", "needs a tag"),
            ("debian:bookworm-slim", "debian:latest", "needs a tag"),
            ("--no-install-recommends ca", "ca", "without: --no-install-recommends"),
            ("    && rm -rf /var/lib/apt/lists/*\nCOPY", "    && true\nCOPY", "rm -rf"),
            ("USER 65532:65532", "USER nobody", "one USER"),
            ("USER 65532:65532", "USER 0:0", "one USER"),
            ("USER 65532:65532\n", "", "one USER"),
            ('ENTRYPOINT ["/usr/local/bin/storage-auth"]', "ENTRYPOINT storage-auth", "exec form"),
            ('ENTRYPOINT ["/usr/local/bin/storage-auth"]\n', "", "one ENTRYPOINT"),
            ("COPY Sources ./Sources", "COPY . .", "copies more"),
            ("--from=build", "--from=other", "not an earlier stage"),
            ("ENV STORAGE_AUTH_ONLY", "ENV API_TOKEN=x STORAGE_AUTH_ONLY", "names a secret"),
            ("WORKDIR /tmp", "WORKDIR tmp", "not absolute"),
            ("RUN swift build", "RUN curl https://example.com | sh && swift build", "does not pin"),
        ]:
            with self.subTest(new):
                self.assertIn(old, DOCKERFILE)
                found = dockerfile.problems(dockerfile.read(DOCKERFILE.replace(old, new)))
                self.assertTrue(any(words in problem for problem in found), found)

    def test_other_instructions_are_rejected(self) -> None:
        for text in ["ADD a b", "from debian:12", "RUN\n", "RUN a \\", "RUN a \n", "USER 1:1\nFROM debian:12"]:
            with self.subTest(text), self.assertRaises(dockerfile.Invalid):
                dockerfile.read(text if "FROM" in text else f"FROM debian:12\n{text}")


class CompositionRules(unittest.TestCase):
    def test_file_of_this_package_is_valid(self) -> None:
        self.assertEqual(composition.problems(composition.read(COMPOSE, VARIABLES)), [])

    def test_each_rule_is_checked(self) -> None:
        for old, new, words in [
            ("  read_only: true\n", "", "read_only"),
            ("cap_drop: [ALL]", "cap_drop: [NET_RAW]", "cap_drop"),
            ("cap_drop: [ALL]", "cap_drop: [ALL]\n  privileged: true", "additional rights"),
            ("no-new-privileges:true", "seccomp:unconfined", "no-new-privileges"),
            ("${RUN_AS:-65532:65532}", "0:0", "root"),
            ("  pids_limit: 128\n", "", "no limit"),
            ("redis:7.4-bookworm", "redis", "no tag"),
            ("redis:7.4-bookworm", "redis:latest", "no tag"),
            ("  callers: {file: ./secrets/callers}\n", "", "callers is not declared"),
            ("networks: [stores]", "networks: [store]", "store is not declared"),
            ("{condition: service_healthy}\n  healthcheck", "{condition: service_started}\n  healthcheck", "until redis"),
            ("OSS_ACCESS_KEY_SECRET_FILE: /run/secrets/access-key-secret", "OSS_ACCESS_KEY_SECRET: abc", "environment"),
            ("./secrets/callers", "/etc/passwd", "folder secrets"),
        ]:
            with self.subTest(new or old):
                self.assertIn(old, COMPOSE)
                found = composition.problems(composition.read(COMPOSE.replace(old, new), VARIABLES))
                self.assertTrue(any(words in problem for problem in found), found)

    def test_missing_variables_are_errors(self) -> None:
        with self.assertRaises(composition.Invalid):
            composition.read(COMPOSE, {"BUCKET": "photos"})
        with self.assertRaises(composition.Invalid):
            composition.read("a: $HOME", {})


class LocalCloudComposition(unittest.TestCase):
    def test_server_is_started_as_by_the_image_and_has_each_name(self) -> None:
        services = composition.read(LOCAL_CLOUD, {})["services"]
        command = services["cloud"]["command"]
        usual = dockerfile.read(DOCKERFILE)[-1].all("CMD")[0].words
        self.assertEqual(command[:len(usual)], usual)
        domains = [word.removeprefix("--domain=") for word in command if word.startswith("--domain=")]
        self.assertEqual(len(domains), 3)
        self.assertLessEqual(set(domains), set(services["cloud"]["networks"]["tests"]["aliases"]))
        self.assertEqual(services["tests"]["depends_on"], {"cloud": {"condition": "service_healthy"}})
        self.assertIn("healthcheck", services["cloud"])


if __name__ == "__main__":
    unittest.main()
