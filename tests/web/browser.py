"""A real Chromium for tests: pages that are watched for errors and for requests to anywhere else."""

import importlib.util
import os
import shutil
from contextlib import contextmanager

from tests.kits.needs import need

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
AXE = {"preload": False, "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


def chromium():
    """The path of the browser, or None."""
    return next(filter(None, map(shutil.which, CHROMIUMS)), None)


def missing():
    """Why no browser can be driven here, or None."""
    for module in ("playwright", "axe_playwright_python"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: pip install -e '.[dev]'"
    return None if chromium() else "chromium is not installed: apt-get install chromium"


@contextmanager
def launched():
    """A browser. It must be closed before other tests run an event loop of their own, so nothing keeps it for long."""
    need(missing())
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """Pages of a browser with all that went wrong in them."""

    def __init__(self, browser):
        self.browser = browser
        self.errors = []
        self.requests = []
        self._contexts = []

    def open(self, address, *, ready=".player.ready", **options):
        """A page at this address, in a window of its own, when it is ready."""
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(str(address))
        if ready:
            page.wait_for_selector(ready, state="attached")
        return page

    def close(self):
        for context in self._contexts:
            context.close()


def violations(page):
    """What axe finds against the levels A and AA, in words."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options=AXE).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['failureSummary']}" for rule in found for node in rule["nodes"]]
