"""A real browser for the tests: Chromium through chromedriver, over the WebDriver
protocol.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import httpx2

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM: Final = (
    shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
DRIVER: Final = shutil.which("chromedriver")
_ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
_KEYS: Final = {"enter": "\ue007", "escape": "\ue00c"}


class Browser:
    """One browser with one tab."""

    def __init__(self, driver: httpx2.Client, session: str) -> None:
        self._driver, self._at = driver, f"/session/{session}"

    def __call__(self, method: str, path: str, **body: Any) -> Any:
        answer = self._driver.request(
            method, f"{self._at}{path}", json=body if method == "POST" else None
        )
        value = answer.json()["value"]
        if answer.status_code >= 400:
            raise AssertionError(f"{path}: {value['error']}: {value['message'][:300]}")
        return value

    def open(self, url: str) -> None:
        self("POST", "/url", url=url)

    @property
    def url(self) -> str:
        return str(self("GET", "/url"))

    def run(self, script: str, *arguments: Any) -> Any:
        return self("POST", "/execute/sync", script=script, args=list(arguments))

    def find(self, selector: str) -> str:
        found = self.wait(
            lambda: self("POST", "/elements", using="css selector", value=selector),
            selector,
        )
        return str(found[0][_ELEMENT])

    def click(self, selector: str) -> None:
        """Click, and wait for the next page if it leads to one."""
        self("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector: str, text: str, *, clear: bool = True) -> None:
        element = self.find(selector)
        if clear:
            self("POST", f"/element/{element}/clear")
        self("POST", f"/element/{element}/value", text=_KEYS.get(text, text))

    def press(self, key: str) -> None:
        actions = [
            {"type": "keyDown", "value": _KEYS.get(key, key)},
            {"type": "keyUp", "value": _KEYS.get(key, key)},
        ]
        self(
            "POST",
            "/actions",
            actions=[{"type": "key", "id": "keys", "actions": actions}],
        )

    @property
    def text(self) -> str:
        return str(self.run("return document.body.innerText"))

    def wait(self, look: Any, what: str) -> Any:
        """The first true answer; a hang ends with the words that were waited for."""
        until = time.monotonic() + 60
        while not (found := look()):
            if time.monotonic() > until:
                raise AssertionError(
                    f"waited for {what}; the page says: {self.text[:500]}"
                )
            time.sleep(0.02)
        return found

    def see(self, words: str) -> None:
        self.wait(lambda: words in self.text, words)

    def errors(self) -> list[dict[str, Any]]:
        """Messages of the console since the last look."""
        return list(self("POST", "/se/log", type="browser"))

    def asked(self) -> set[str]:
        """Every address that the browser asked for since the last look, from its own
        log of the network.
        """
        events = [
            json.loads(each["message"])["message"]
            for each in self("POST", "/se/log", type="performance")
        ]
        sent = [
            each["params"]["request"]["url"]
            for each in events
            if each["method"] == "Network.requestWillBeSent"
        ]
        return set(sent)

    def size(self, width: int, height: int) -> None:
        metrics = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": False,
        }
        self(
            "POST",
            "/goog/cdp/execute",
            cmd="Emulation.setDeviceMetricsOverride",
            params=metrics,
        )

    def scheme(self, name: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        self(
            "POST",
            "/goog/cdp/execute",
            cmd="Emulation.setEmulatedMedia",
            params={"features": features},
        )

    def picture(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self("GET", "/screenshot")))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a window; it reaches this machine alone."""
    assert CHROMIUM
    assert DRIVER
    with subprocess.Popen(
        [DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = next(
                each
                for each in process.stdout
                if "started successfully on port" in each
            )
            port = line.rstrip(".\n").rpartition(" ")[2]
            with httpx2.Client(
                base_url=f"http://127.0.0.1:{port}", timeout=120
            ) as driver:
                yield from _session(driver)
        finally:
            process.terminate()


def _session(driver: httpx2.Client) -> Iterator[Browser]:
    arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
    ]
    arguments += [
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--no-first-run",
        "--disable-sync",
    ]
    options = {
        "binary": CHROMIUM,
        "args": [*arguments, "--disable-background-networking"],
    }
    wanted = {
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }
    made = driver.post(
        "/session", json={"capabilities": {"alwaysMatch": wanted}}
    ).json()["value"]
    one = Browser(driver, made["sessionId"])
    try:
        yield one
    finally:
        one("DELETE", "")
