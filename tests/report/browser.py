"""A page in headless Chromium through its debugging protocol, without further packages.

Chromium is started with pipes: messages are JSON, a zero byte between them, on its files 3 and 4.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        script = f'exec "$0" "$@" 3<&{to_read} 4>&{back_write}'
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions",
                   "--no-first-run", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", script, path, *options], pass_fds=(to_read, back_write),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            got = os.read(self.back, 1 << 20)
            if not got:
                raise RuntimeError("the browser has ended")
            self.buffer += got
        first, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(first)

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def open(self, url, width, scheme="light"):
        """Loads a page at a width in pixels and a colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def complaints(self):
        """What was logged, thrown or refused since the page was opened."""
        return [event for event in self.events
                if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown",
                                           "Runtime.consoleAPICalled", "Network.loadingFailed")]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        """The page on paper."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()
