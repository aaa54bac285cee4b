"""A headless Chromium, driven over its debugging pipe (Chrome DevTools Protocol) with nothing but Python itself."""

import base64
import json
import os
import select
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# An expression sees the names that the page shows as `zhuyi`.
IN_THE_PAGE = "with (window.zhuyi ?? {}) { %s }"
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))"


def program():
    """Where the browser is, or None. CHROMIUM names another one."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """
    with Browser() as browser:
        browser.open("report.html")
        browser.value("document.title")

    `messages` gathers what the page wrote to its console and what it threw, `requests` every address it asked for.
    """

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="zhuyi-browser-")
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        flags = [
            "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--disable-extensions", "--no-first-run", "--disable-background-networking", "--lang=zh-CN",
            f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank",
        ]
        # bash and not sh: the pipes' numbers may have two digits
        line = f"exec {shlex.join([program(), *flags])} 3<&{to_browser} 4>&{from_browser}"
        self.process = subprocess.Popen(["bash", "-c", line], pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.buffer = 0, b""
        self.messages, self.requests, self.events, self.session = [], [], [], None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol

    def read(self, seconds):
        """The next message, or None."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(f"{params['type']}: {[a.get('value', a.get('description')) for a in params['args']]}")
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.messages.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Log.entryAdded":
            self.messages.append(f"log: {params['entry']['level']}: {params['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method:
            self.events.append(method)

    def send(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self.read(60)
            if message is None:
                raise RuntimeError(f"the browser does not answer {method}")
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    # ---- what a test does

    def open(self, path):
        self.events.clear()
        self.send("Page.navigate", url=Path(path).resolve().as_uri())
        end = time.monotonic() + 60
        while "Page.loadEventFired" not in self.events:
            message = self.read(end - time.monotonic())
            if message is None:
                raise RuntimeError(f"{path} does not load")
            self.note(message)

    def value(self, expression):
        """What a JavaScript expression gives; a promise is waited for."""
        answer = self.send("Runtime.evaluate", expression=IN_THE_PAGE % expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def settle(self):
        """Until what was asked for is drawn."""
        self.value(TWO_FRAMES)

    def size(self, width, height, scale=1, phone=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone)
        self.settle()

    def dark(self, yes):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if yes else "light"}])

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" and len(key) == 1 else "")
        self.settle()

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def drag(self, x, y, across, down):
        for kind, i in (("mouseMoved", 0), ("mousePressed", 0), ("mouseMoved", 0.5), ("mouseMoved", 1), ("mouseReleased", 1)):
            self.send("Input.dispatchMouseEvent", type=kind, x=x + i * across, y=y + i * down, button="left", clickCount=1)
        self.settle()

    def screenshot(self, path, whole=False):
        picture = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(picture["data"]))
