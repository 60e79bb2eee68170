# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Reads a Dockerfile strictly, and checks the rules of this package for one."""

import json
import re
from dataclasses import dataclass, field

# The instructions that the Dockerfile may have; another one has to be added here and to the steps of check.py.
KNOWN = {"FROM", "RUN", "WORKDIR", "ENV", "COPY", "USER", "EXPOSE", "ENTRYPOINT", "CMD"}
SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)


class Invalid(Exception):
    pass


@dataclass
class Step:
    line: int
    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words of the exec form, or those between spaces."""
        if self.text.startswith("["):
            words = json.loads(self.text)
            if not words or not all(isinstance(word, str) for word in words):
                raise Invalid(f"line {self.line}: {self.name} needs a list of strings")
            return words
        return self.text.split()


@dataclass
class Stage:
    image: str
    name: str | None
    steps: list[Step] = field(default_factory=list)

    def all(self, name: str) -> list[Step]:
        return [step for step in self.steps if step.name == name]


def read(text: str) -> list[Stage]:
    """Returns the stages of a Dockerfile."""
    stages: list[Stage] = []
    pending, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip().startswith("#") or (not line.strip() and not pending):
            continue
        if not pending:
            start = number
        if line.rstrip() != line:
            raise Invalid(f"line {number} ends with a space")
        if line.endswith("\\"):
            pending += line[:-1]
            continue
        logical, pending = (pending + line).strip(), ""
        match = re.fullmatch(r"([A-Z]+)\s+(.+)", logical)
        if not match or match[1] not in KNOWN:
            raise Invalid(f"line {start}: not a known instruction: {logical[:60]}")
        step = Step(start, match[1], re.sub(r"\s{2,}", " ", match[2]))
        if step.name == "FROM":
            source = re.fullmatch(r"(\S+)(?: AS ([a-z0-9-]+))?", step.text)
            if not source:
                raise Invalid(f"line {start}: FROM needs an image, and AS before the name of the stage")
            stages.append(Stage(source[1], source[2]))
        elif not stages:
            raise Invalid(f"line {start}: the first instruction must be FROM")
        else:
            stages[-1].steps.append(step)
    if pending:
        raise Invalid("the file ends in the middle of an instruction")
    return stages


def problems(stages: list[Stage]) -> list[str]:
    """Returns what in a Dockerfile is against the rules."""
    found: list[str] = []
    names: set[str] = set()
    for stage in stages:
        if ":" not in stage.image or stage.image.endswith(":latest"):
            found.append(f"{stage.image} needs a tag other than latest")
        for step in stage.steps:
            where = f"line {step.line}: {step.name}"
            if step.name == "RUN" and "apt-get install" in step.text:
                for words in ("apt-get update", "--yes", "--no-install-recommends", "rm -rf /var/lib/apt/lists/*"):
                    if words not in step.text:
                        found.append(f"{where} installs packages without: {words}")
            if step.name == "RUN" and re.search(r"curl|wget|sudo|chmod 777|apt-get upgrade", step.text):
                found.append(f"{where} fetches or changes what the image does not pin")
            if step.name == "ENV" and SECRET.search(step.text):
                found.append(f"{where} names a secret, which would stay in the image")
            if step.name == "COPY":
                sources = [word for word in step.words[:-1] if not word.startswith("--")]
                options = [word for word in step.words if word.startswith("--")]
                if "." in sources or "/" in sources or any("*" in source for source in sources):
                    found.append(f"{where} copies more than it names")
                for option in options:
                    match = re.fullmatch(r"--from=(\S+)", option)
                    if not match or match[1] not in names:
                        found.append(f"{where}: {option} is not an earlier stage")
            if step.name == "WORKDIR" and not step.text.startswith("/"):
                found.append(f"{where} is not absolute")
            if step.name in ("ENTRYPOINT", "CMD") and not step.text.startswith("["):
                found.append(f"{where} must have the exec form, so that signals reach the program")
        if stage.name:
            names.add(stage.name)
    last = stages[-1] if stages else Stage("", None)
    users = last.all("USER")
    if len(users) != 1 or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[0].text):
        found.append("the last stage needs one USER with the numbers of a user and a group other than root")
    if len(last.all("ENTRYPOINT")) != 1:
        found.append("the last stage needs one ENTRYPOINT")
    if len(stages) < 2 or not any("--from=" in step.text for step in last.all("COPY")):
        found.append("the last stage must copy the program from an earlier one")
    return found
