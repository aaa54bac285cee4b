"""A headless Firefox, driven over its debugging socket (WebDriver BiDi, W3C) with nothing but Python itself."""

import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
from pathlib import Path

from browser import IN_THE_PAGE, TWO_FRAMES

NAMES = ("firefox", "firefox-esr")
PREFERENCES = {
    "layout.css.prefers-color-scheme.content-override": 1,  # light
    "intl.accept_languages": "zh-CN",
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.active-protocols": 1,
}


def program():
    """Where the browser is, or None. FIREFOX names another one."""
    named = os.environ.get("FIREFOX")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Socket:
    """The client's side of a WebSocket (RFC 6455): texts out, texts in."""

    def __init__(self, host, port, path):
        self.stream = socket.create_connection((host, port), timeout=90)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.part()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise RuntimeError(f"the browser refuses: {head.decode()}")

    def part(self):
        part = self.stream.recv(1 << 20)
        if not part:
            raise RuntimeError("the browser ended")
        return part

    def take(self, count):
        while len(self.buffer) < count:
            self.buffer += self.part()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def write(self, text, kind=1):
        data, mask = text.encode() if isinstance(text, str) else text, os.urandom(4)
        size = len(data)
        length = bytes([128 | size]) if size < 126 else struct.pack(">BH", 254, size) if size < 65536 else struct.pack(">BQ", 255, size)
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.stream.sendall(bytes([128 | kind]) + length + mask + masked)

    def read(self):
        """The next text, whole."""
        text = b""
        while True:
            first, size = self.take(2)
            size &= 127
            if size >= 126:
                size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
            data, kind = self.take(size), first & 15
            if kind == 9:  # a ping wants a pong
                self.write(data, 10)
            elif kind in (0, 1):
                text += data
                if first & 128:
                    return text.decode()


def plain(value):
    """A Python value from what BiDi calls a remote value."""
    kind, content = value["type"], value.get("value")
    if kind in ("array", "nodelist", "htmlcollection", "set"):
        return [plain(item) for item in content or []]
    if kind in ("object", "map"):
        return {key if isinstance(key, str) else plain(key): plain(item) for key, item in content or []}
    return None if kind == "number" and isinstance(content, str) else content  # NaN and infinities, as JSON has it


class Firefox:
    """The same methods as Browser's, in another program."""

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="zhuyi-browser-")
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items())
        Path(self.profile, "user.js").write_text("\n".join(lines))
        self.process = subprocess.Popen(
            [program(), "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, "HOME": self.profile})
        port = None
        for line in self.process.stderr:
            if found := re.search(r"BiDi listening on ws://[^:]+:(\d+)", line):
                port = int(found[1])
                break
        if port is None:
            raise RuntimeError("the browser ended before it opened its socket")
        self.process.stderr.close()
        self.socket = Socket("127.0.0.1", port, "/session")
        self.number, self.messages, self.requests = 0, [], []
        self.send("session.new", capabilities={})
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol

    def send(self, method, **params):
        self.number += 1
        self.socket.write(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.read())
            if message.get("id") == self.number:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]
            if message.get("method") == "log.entryAdded":
                self.messages.append(f"{message['params']['level']}: {message['params']['text']}")
            elif message.get("method") == "network.beforeRequestSent":
                self.requests.append(message["params"]["request"]["url"])

    # ---- what a test does

    def open(self, path):
        self.send("browsingContext.navigate", context=self.context, url=Path(path).resolve().as_uri(), wait="complete")

    def value(self, expression):
        answer = self.send("script.evaluate", expression=IN_THE_PAGE % expression, awaitPromise=True,
                           target={"context": self.context})
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return plain(answer["result"])

    def settle(self):
        self.value(TWO_FRAMES)

    def size(self, width, height, scale=1, phone=False):
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height},
                  devicePixelRatio=scale)
        self.settle()

    def act(self, source, **kind):
        self.send("input.performActions", context=self.context, actions=[{**kind, "id": kind["type"], "actions": source}])
        self.settle()

    def key(self, key):
        key = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011",
               "End": "\ue010", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004"}.get(key, key)
        self.act([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}], type="key")

    def move(self, x, y):
        self.act([{"type": "pointerMove", "x": round(x), "y": round(y)}], type="pointer")

    def click(self, x, y):
        self.act([{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
                  {"type": "pointerUp", "button": 0}], type="pointer")

    def drag(self, x, y, across, down):
        to = [{"type": "pointerMove", "x": round(x + i * across), "y": round(y + i * down)} for i in (0, 0.5, 1)]
        self.act([to[0], {"type": "pointerDown", "button": 0}, *to[1:], {"type": "pointerUp", "button": 0}], type="pointer")

    def screenshot(self, path, whole=False):
        picture = self.send("browsingContext.captureScreenshot", context=self.context, origin="document" if whole else "viewport")
        Path(path).write_bytes(base64.b64decode(picture["data"]))
