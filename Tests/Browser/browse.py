"""Every page in a real browser: both languages, phone and desk, light and dark.

browse.py PROGRAM [--screenshots FOLDER] [--only TEXT] [--one-dress]

Serves the demo's week and opens every page with Debian's chromium. Fails on a console error, a broken
link, clipped text, a target below 44 px, text below 11 px in a chart, and every finding of axe-core.
Then it walks the flows of a day (flows.py).
"""

import argparse
import base64
import concurrent.futures
import contextlib
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

import eyes
import flows
import household
import ingress
import newcomer
import taps
import truths

SIZES = {"phone": (390, 844), "desk": (1280, 900)}
NARROWEST = (320, 640)
MISSING = "/nothing"
LANGUAGES = ["en", "zh-Hant"]
# Only the script is used: importing the package would need a browser of its own.
AXE = (
    pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).parent / "axe.min.js"
).read_text()
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What a reader of the page cannot see whole, and controls that are too small for a finger.
LAYOUT = """
const faults = [];
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width + 1) {
  faults.push(`the page is ${document.documentElement.scrollWidth} px wide, the window ${width}`);
}
const shown = (element) => {
  const box = element.getBoundingClientRect();
  return box.width > 1 && box.height > 1 && getComputedStyle(element).visibility === "visible"
    && !element.closest("[hidden], .visually-hidden, template");
};
for (const element of document.querySelectorAll("main *, nav *, header *, footer *")) {
  if (!shown(element)) continue;
  const style = getComputedStyle(element);
  const cuts = style.overflowX !== "visible" || style.overflowY !== "visible";
  if (cuts && style.overflowX !== "auto" && style.overflowX !== "scroll"
      && (element.scrollWidth > element.clientWidth + 1) && element.innerText) {
    faults.push(`clipped: ${element.outerHTML.slice(0, 120)}`);
  }
  if (element.matches("svg text") && parseFloat(style.fontSize) > 0) {
    const scale = element.getBoundingClientRect().height / Math.max(1, element.getBBox().height);
    const size = parseFloat(style.fontSize) * scale;
    if (size < 10.9) faults.push(`text of ${size.toFixed(1)} px: ${element.textContent}`);
  }
  if (element.matches("button, a.button, .btn, input:not([type=hidden]), select, textarea, summary, nav a")) {
    const target = element.closest("label") ?? element;
    const box = target.getBoundingClientRect();
    if (box.height < 43.5 && box.width > 1) {
      faults.push(`${box.height.toFixed(0)} px high: ${element.outerHTML.slice(0, 120)}`);
    }
  }
}
return faults;
"""


class Faults(list):
    """What was found, printed at once."""

    def append(self, fault):
        super().append(fault)
        print(fault, flush=True)

    def __iadd__(self, faults):
        for fault in faults:
            self.append(fault)
        return self


class Fault(Exception):
    """Something that a person would stumble on."""


class Box:
    """The demo's week, served."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.store = folder / "store.sqlite"
        self.process = subprocess.Popen(
            [program, "demo", "--serve", "--page", "0", "--store", self.store], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0].rstrip("/")
                return
        raise Fault("the page is not served")

    def run(self, *arguments, code=0):
        """A command of the program on the same store, beside the server."""
        result = subprocess.run(
            [self.program, *arguments, "--store", self.store], cwd=self.folder,
            capture_output=True, text=True, timeout=120)
        if result.returncode != code:
            raise Fault(f"{arguments} ended with {result.returncode}: {result.stderr}")
        return result.stdout

    def close(self):
        self.process.terminate()
        self.process.wait(10)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)


@contextlib.contextmanager
def browser(size, text=None):
    """A browser with a window of this size; `text` is the height of its letters in px, if a reader has set it."""
    options = webdriver.ChromeOptions()
    for argument in [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--lang=en",
            f"--window-size={size[0]},{size[1]}"]:
        options.add_argument(argument)
    if text:
        options.add_experimental_option("prefs", {"webkit.webprefs.default_font_size": text})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        resize(driver, size)
        dress(driver, is_dark=False)
        yield driver
    finally:
        driver.quit()


def resize(driver, size):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500})


def dress(driver, is_dark):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"}]})


def check_layout(driver, name, faults):
    """What cannot be read or pressed, and what the console says."""
    for complaint in flows.console(driver):
        if not (name.startswith("missing") and "404" in complaint):
            faults.append(f"{name}: console: {complaint}")
    faults += [f"{name}: {fault}" for fault in driver.execute_script(LAYOUT)]


def check_access(driver, name, faults):
    """What axe-core finds."""
    if not driver.execute_script("return 'axe' in window"):
        driver.execute_script(AXE)
    result = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']}).then(done);",
        AXE_RULES)
    for violation in result["violations"]:
        nodes = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
        faults.append(f"{name}: {violation['id']}: {violation['help']}: {nodes}")


def screenshot(driver, path, size):
    """The whole page, at most 6000 px of it."""
    height = driver.execute_script("return document.documentElement.scrollHeight")
    resize(driver, (size[0], min(max(height, size[1]), 6000)))
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    path.write_bytes(base64.b64decode(shot["data"]))
    resize(driver, size)


def links(driver, box):
    """The local addresses that a page links."""
    addresses = driver.execute_script(
        "return [...document.querySelectorAll('[href], [src]')].map(e => e.href || e.src)")
    return {
        urllib.parse.urldefrag(address)[0] for address in addresses
        if isinstance(address, str) and address.startswith(box.url)}


def pages(box):
    """The pages, by name."""
    events = box.get("/api/v1/events?date=2026-11-08")["events"]
    by_task = {event["task"]: event["id"] for event in events}
    return {
        "today": "/today", "day": "/today?date=2026-11-06", "tomorrow": "/today?date=2026-11-09",
        "check-in": f"/events/{by_task['check-in']}", "weigh-in": f"/events/{by_task['weigh-in']}",
        "knee": f"/events/{by_task['knee']}", "medicine": f"/events/{by_task['medicine']}",
        "measure": f"/events/{by_task['knee-evening']}/measure",
        "measurements": "/measurements", "weight": "/measurements/bodyMass?span=month",
        "pulse": "/measurements/heartRate?span=week", "tracks": "/weighings?span=month", "morning": "/morning", "insights": "/insights?span=month",
        "insights-week": "/insights?span=week", "connect": "/connect", "devices": "/devices",
        "setup": "/setup", "outlets": "/setup/outlets", "history": "/setup/history", "task-form": "/setup/task?patient=alex&task=weigh-in",
        "new-task": "/setup/task?patient=alex", "new-tasks": "/setup/tasks?patient=alex", "person-form": "/setup/person?patient=alex",
        "device-form": "/devices/add?device=C8:47:8C:00:00:77",
        "device-place": "/devices/add?device=C8:47:8C:00:00:77&owner=alex",
        "report": "/report?from=2026-10-05&to=2026-11-09",
        "reference": "/reference", "missing": MISSING,
    }


def walk(box, pages, options, faults):
    """Opens every page in every dress, at all sizes side by side."""
    checked = set()

    def at(size):
        with browser(options.sizes[size]) as driver:
            for language in options.languages:
                for page, address in pages.items():
                    if options.only and options.only not in f"{page}-{size}-{language}":
                        continue
                    joint = "&" if "?" in address else "?"
                    driver.get(f"{box.url}{address}{joint}lang={language}")
                    check(driver, f"{page}-{size}", options.sizes[size], language, options, faults)
                    check_links(driver, box, f"{page}-{size}-{language}", checked, faults)

    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(at, options.sizes))
    return len(checked)


def check(driver, name, size, language, options, faults):
    """Checks the open page: its layout once, its colours in both schemes."""
    check_layout(driver, f"{name}-{language}", faults)
    for is_dark in (False,) if options.one_dress else (False, True):
        dress(driver, is_dark)
        scheme = f"{name}-{'dark' if is_dark else 'light'}-{language}"
        # The scheme changes colours only, the language texts only.
        if language == LANGUAGES[0] or not is_dark:
            check_access(driver, scheme, faults)
        if options.screenshots:
            screenshot(driver, options.screenshots / f"{scheme}.png", size)
    dress(driver, is_dark=False)
    if size == SIZES["phone"] and not options.one_dress:
        resize(driver, NARROWEST)
        check_layout(driver, f"{name}-{NARROWEST[0]}px-{language}", faults)
        if options.screenshots:
            screenshot(
                driver, options.screenshots / f"{name}-{NARROWEST[0]}px-{language}.png", NARROWEST)
        resize(driver, size)


def check_links(driver, box, name, checked, faults):
    """Follows what the page links, once."""
    for link in links(driver, box) - checked:
        checked.add(link)
        if urllib.parse.urlsplit(link).path == MISSING:
            continue
        try:
            urllib.request.urlopen(link, timeout=10).close()
        except urllib.error.HTTPError as error:
            faults.append(f"{name}: {link} gives {error.code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--only", help="only pages whose name has this text")
    parser.add_argument("--flow", help="only the flow of this name, and no pages")
    parser.add_argument(
        "--one-dress", action="store_true", help="English, on a phone, in light colours alone")
    options = parser.parse_args()
    options.program = options.program.resolve()
    options.sizes = {"phone": SIZES["phone"]} if options.one_dress else SIZES
    options.languages = LANGUAGES[:1] if options.one_dress else LANGUAGES
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    faults = Faults()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        box = Box(options.program, pathlib.Path(folder))
        try:
            count = 0 if options.flow else walk(box, pages(box), options, faults)
            print(f"{count} links, {time.monotonic() - start:.0f} s", flush=True)
            for part in (household, newcomer, taps, truths):
                if options.only or options.flow not in (None, part.__name__):
                    continue
                look = lambda driver, name, size, language: check(
                    driver, name, size, language, options, faults)
                try:
                    part.walk(box, browser, options.sizes, options.languages, look, faults)
                except Exception as error:  # it must not hide the flows
                    faults.append(f"{part.__name__}: {type(error).__name__}: {str(error)[:400]}")
            if not options.only and options.flow in (None, eyes.__name__):
                eyes.walk(box, pages(box), browser, options, LAYOUT, screenshot, faults)
            if options.flow in (None, ingress.__name__):
                below = ingress.Box(options.program, pathlib.Path(folder))
                try:
                    ingress.walk(below, pages(below), walk, options, faults)
                finally:
                    below.close()
            if not options.only:
                flows.run(box, browser, options.sizes, options.flow, faults)
        finally:
            box.close()
    print(f"{len(faults)} faults, {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
