# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Drives headless Chromium through the DevTools protocol over pipes, which needs no package."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time
from typing import Any

ANSWERED_WITHIN = 60


class Browser:
    """Headless Chromium with one page, until it is stopped."""

    def __init__(self, width: int, height: int) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="console-", ignore_cleanup_errors=True)
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
        self._program = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "sh", os.environ["CHROMIUM"], "--headless",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             f"--window-size={width},{height}", f"--user-data-dir={self._profile.name}", "--remote-debugging-pipe",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(commands, answers))
        os.close(commands)
        os.close(answers)
        self._received = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        try:
            targets = self.call("Target.getTargets")["targetInfos"]
            page = next(target["targetId"] for target in targets if target["type"] == "page")
            self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self.call(f"{domain}.enable")
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        self._program.terminate()
        try:
            self._program.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._received:
            if not select.select([self._answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("The browser did not answer.")
            read = os.read(self._answers, 1 << 20)
            if not read:
                raise RuntimeError("The browser ended.")
            self._received += read
        message, self._received = self._received.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Calls a method of the protocol and returns its result."""
        self._number += 1
        command: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + ANSWERED_WITHIN
        while True:
            message = self._read(deadline)
            if "id" not in message:
                self.events.append(message)
            elif message["id"] == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression: str) -> Any:
        """Waits until an expression is true, and returns its value."""
        deadline = time.monotonic() + ANSWERED_WITHIN
        while not (value := self.value(expression)):
            if time.monotonic() > deadline:
                raise AssertionError(f"Not reached: {expression}\n{self.value('document.body.innerText')}")
            time.sleep(0.05)
        return value

    def press(self, key: str) -> None:
        """Presses and releases a key."""
        text = key if len(key) == 1 else None
        down = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, **CODES.get(key, {}), **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **CODES.get(key, {}))

    def use(self, scheme: str) -> None:
        """Prefers light or dark colors."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path: str) -> None:
        data = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=False)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def problems(self) -> list[str]:
        """Returns the errors that the page or its policy reported."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"]))
            if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
        return found


CODES = {
    "ArrowDown": {"windowsVirtualKeyCode": 40}, "ArrowUp": {"windowsVirtualKeyCode": 38},
    "ArrowRight": {"windowsVirtualKeyCode": 39}, "Home": {"windowsVirtualKeyCode": 36},
    "Escape": {"windowsVirtualKeyCode": 27}, "Enter": {"windowsVirtualKeyCode": 13},
}
