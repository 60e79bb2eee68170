# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Reads compose.yaml, with its variables, and checks that every service is hardened."""

import re

import yaml


class Invalid(Exception):
    pass


def read(text: str, variables: dict[str, str]) -> dict:
    """Returns the document with `${NAME}`, `${NAME:-default}` and `${NAME:?message}` replaced."""

    def value(match: re.Match) -> str:
        if match[0] == "$$":
            return "$"
        if not match[1]:
            raise Invalid(f"{match[0]}: write $$ for a dollar sign")
        if match[1] in variables:
            return variables[match[1]]
        if match[2] == ":?":
            raise Invalid(match[3])
        return match[3] or ""

    def replaced(node):
        if isinstance(node, str):
            return re.sub(r"\$\$|\$\{([A-Z_]+)(?:(:[-?])([^}]*))?\}|\$", value, node)
        if isinstance(node, list):
            return [replaced(item) for item in node]
        if isinstance(node, dict):
            return {key: replaced(item) for key, item in node.items()}
        return node

    return replaced(yaml.safe_load(text))


def problems(document: dict) -> list[str]:
    """Returns what in a composition is against the rules."""
    found: list[str] = []
    secrets = document.get("secrets", {})
    networks = document.get("networks", {})
    for name, service in document["services"].items():
        def need(condition: bool, problem: str) -> None:
            if not condition:
                found.append(f"{name}: {problem}")

        need(service.get("read_only") is True, "read_only is not set")
        need(service.get("cap_drop") == ["ALL"], "cap_drop is not ALL")
        need("cap_add" not in service and "privileged" not in service, "it has additional rights")
        need("no-new-privileges:true" in service.get("security_opt", []), "no-new-privileges is not set")
        need(re.fullmatch(r"[1-9]\d*:[1-9]\d*", str(service.get("user", ""))) is not None, "user is not a number, or root")
        need("mem_limit" in service and "pids_limit" in service, "memory or processes have no limit")
        need("healthcheck" in service, "there is no healthcheck")
        need(re.search(r":(?!latest)\S+", service.get("image", "")) is not None, "the image has no tag")
        for secret in service.get("secrets", []):
            need(secret in secrets, f"the secret {secret} is not declared")
        for network in service.get("networks", []):
            need(network in networks, f"the network {network} is not declared")
        for other, state in service.get("depends_on", {}).items():
            need(state == {"condition": "service_healthy"} and "healthcheck" in document["services"].get(other, {}),
                 f"it does not wait until {other} is healthy")
        for variable, text in (service.get("environment") or {}).items():
            need(not re.search(r"KEY|SECRET|PASSWORD|TOKEN", variable) or variable.endswith("_FILE") and
                 text.startswith("/run/secrets/"), f"{variable} is a secret in the environment")
    used = {secret for service in document["services"].values() for secret in service.get("secrets", [])}
    found += [f"the secret {secret} is not used" for secret in secrets if secret not in used]
    for secret, source in secrets.items():
        if not source.get("file", "").startswith("./secrets/"):
            found.append(f"the secret {secret} is not a file of the folder secrets")
    return found
