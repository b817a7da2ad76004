"""The links of messages: an alert reaches two people by a server of ntfy, and one of them answers by a tap."""

import contextlib
import datetime
import http.server
import json
import re
import socket
import subprocess
import threading
import time

import flows

PLAN = """
timeZone: Europe/Berlin
patients: [{{id: john, name: {{given: John}}, language: en}}]
contacts:
  - {{id: nora, name: {{given: Nora}}, language: en, channels: [{{ntfy: {{server: "{ntfy}", topic: nora}}}}]}}
  - {{id: mei, name: {{given: 美華, family: 林}}, language: zh-Hant, channels: [{{ntfy: {{server: "{ntfy}", topic: mei}}}}]}}
tasks:
  - id: weigh
    title: Weigh yourself
    schedule: [{{start: {day}, interval: {{days: 1}}, duration: allDay}}]
    linkage: {{quantity: bodyMass}}
    thresholds: [{{atLeast: 90, says: heavy, alert: true}}]
    notify: [{{for: alert, to: [mei, nora], urgent: true}}]
"""


class Telephones(http.server.ThreadingHTTPServer):
    """A server of ntfy; the last message of each topic."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Topic)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.messages = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def link(self, topic):
        """The address that a person taps."""
        found = re.search(r"http://[^\s\"\\]*/answer#t=[^\s\"\\]+", self.messages.get(topic, ""))
        return found and found[0]


class Topic(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        with contextlib.suppress(ValueError):
            message = json.loads(body)
            self.server.messages[message["topic"]] = body
        text = b'{"id":"a","event":"message","sequence_id":"a"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_PUT = do_DELETE = do_GET = answer

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def running(box, name, telephones):
    """The daemon with a plan that tells two people; the page's address and the store."""
    store = box.folder / f"{name}.sqlite"
    (box.folder / f"{name}.yaml").write_text(
        PLAN.format(ntfy=telephones.url, day=datetime.date.today() - datetime.timedelta(days=1)))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    settings = box.folder / f"{name}-settings.yaml"
    settings.write_text(f'page: {{listen: "127.0.0.1:{port}", address: "{url}"}}\n')
    process = subprocess.Popen(
        [box.program, "run", "--settings", settings, "--store", store, "--plan", box.folder / f"{name}.yaml"],
        cwd=box.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def is_served():
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True

        # A busy machine takes its time to start a program.
        end = time.monotonic() + 60
        while not is_served():
            assert time.monotonic() < end, "the daemon does not serve its page"
            time.sleep(0.2)
        yield url, store
    finally:
        process.terminate()
        process.wait(20)


def walk(box, browser, sizes, languages, look, faults):
    """Each reader has a page in the reader's own language; one answers for both."""
    for size in sizes:
        telephones = Telephones()
        with running(box, f"taps-{size}", telephones) as (url, store), browser(sizes[size]) as driver:
            subprocess.run(
                [box.program, "done", "weigh", "--value", "95 kg", "--store", store], check=True,
                stdout=subprocess.DEVNULL)
            flows.wait(
                lambda: telephones.link("mei") and telephones.link("nora"),
                lambda: f"no link has come: {telephones.messages}")

            def opened(topic):
                driver.get("about:blank")
                driver.get(telephones.link(topic))
                flows.wait(
                    lambda: not flows.is_there(driver, "#answer[data-asks] p:only-child"),
                    f"the page of {topic} does not say what the link does")

            def says(button):
                flows.wait(
                    lambda: flows.text(driver, "#answer button") == button,
                    lambda: f"not {button}: {flows.text(driver, '#answer')}")

            opened("nora")
            says("I have seen it")
            look(driver, f"tap-open-{size}", sizes[size], "en")
            opened("mei")
            says("我看到了")
            assert flows.find(driver, "html").get_attribute("lang") == "zh-Hant"
            look(driver, f"tap-open-{size}", sizes[size], "zh-Hant")
            flows.press(driver, "#answer button")
            flows.wait(
                lambda: re.search("林美華於.*回覆：我看到了", flows.text(driver, "#answer")),
                lambda: f"the answer is not confirmed: {flows.text(driver, '#answer')}")
            look(driver, f"tap-answered-{size}", sizes[size], "zh-Hant")
            # Opened again, it is answered; who comes later is told so, and by whom.
            opened("nora")
            flows.wait(
                lambda: not flows.is_there(driver, "#answer button"),
                "what somebody has answered is asked again")
            assert "林美華" in flows.text(driver, "#answer"), flows.text(driver, "#answer")
            look(driver, f"tap-late-{size}", sizes[size], "en")
            # A link that was altered leads nowhere.
            driver.get("about:blank")
            driver.get(telephones.link("mei") + "x")
            flows.wait(
                lambda: not flows.is_there(driver, "#answer button")
                and "wait" not in flows.text(driver, "#answer").lower(),
                "an altered link is taken")
            faults += [
                f"taps-{size}: console: {one}" for one in flows.console(driver)
                # The page says in words what the codes of its answers are.
                if not re.search(r"/answer - .* (404|409|410)", one)]
        telephones.shutdown()
