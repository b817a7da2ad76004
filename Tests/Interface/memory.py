"""Tries to fill the memory of a page for the network, and prints what that does to it and to others.

Strangers leave long heads and bodies unfinished, from one address and from several. A reader's token opens
streams of a year, each of another span, while the store changes. It asks for years and reads none of them; a
patient's session leaves uploads unfinished. Meanwhile another program reads a day. Bounds: 256 MB, the limit of
the service, 100 ms for 99 of 100 reads of the others, and no error in the log.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

DAY = "2026-11-20"
PASSCODE = "correct horse battery"
SPAN = 400 * 86_400


def plan(start):
    """Twelve tasks, three times a day, since a year."""
    tasks = "".join(
        f"  - {{id: task-{number}, patient: anna, title: Task {number}, schedule: ["
        + ", ".join(f"{{start: {start}T{hour:02}:00, interval: {{days: 1}}, duration: 1h}}"
                    for hour in (8, 13, 20)) + "]}\n" for number in range(12))
    return f"timeZone: Europe/Vienna\npatients: [{{id: anna}}]\ntasks:\n{tasks}"


class Page:
    """A page for the network, with a patient's account and programs' tokens."""

    def __init__(self, program, folder):
        self.program, self.store = program, str(folder / "memory.sqlite")
        year = time.gmtime(time.time() - 370 * 86_400)
        (folder / "plan.yaml").write_text(plan(time.strftime("%Y-%m-%d", year)))
        self.run("plan", "import", str(folder / "plan.yaml"))
        self.run("access", "add", "admin", "--name", "Admin", "--role", "administrator", typed=PASSCODE + "\n")
        self.run("access", "add", "anna", "--name", "Anna", "--role", "patient", "--patient", "anna",
                 typed=PASSCODE + "\n")
        self.tokens = {name: self.run("access", "token", name, *scopes).strip() for name, scopes in {
            "reader": ("--scope", "read"), "others": ("--scope", "read"),
            "writer": ("--scope", "read", "--scope", "answer")}.items()}
        self.process = subprocess.Popen(
            [program, "serve", "--store", self.store, "--page", "0.0.0.0:0"],
            env={**os.environ, "MALLOC_ARENA_MAX": "1"}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if found := re.search(r"http://[^ ]+:(\d+)/", line):
                self.port = int(found[1])
                break
        self.errors = []
        threading.Thread(target=self.read_log, daemon=True).start()
        self.peak = 0
        threading.Thread(target=self.watch, daemon=True).start()

    def run(self, *arguments, typed=None):
        done = subprocess.run([self.program, *arguments, "--store", self.store], input=typed,
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def read_log(self):
        """A stranger's noise is no error: the log has none."""
        for line in self.process.stdout:
            if "error" in line:
                self.errors.append(line)

    @property
    def memory(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def watch(self):
        while self.process.poll() is None:
            try:
                self.peak = max(self.peak, self.memory)
            except (OSError, TypeError):
                return
            time.sleep(0.02)

    def connect(self, source, small=False):
        client = socket.socket()
        client.settimeout(5)
        if small:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.bind((source, 0))
        client.connect(("127.0.0.1", self.port))
        return client

    def head(self, method, path, fields):
        return (f"{method} {path} HTTP/1.1\r\nHost: localhost:{self.port}\r\n"
                + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
                + "\r\n").encode()

    def bearer(self, name):
        return {"Authorization": f"Bearer {self.tokens[name]}"}

    def session(self):
        """The cookie of the patient."""
        body = f"account=anna&passcode={PASSCODE.replace(' ', '+')}".encode()
        with self.connect("127.0.0.5") as client:
            client.settimeout(60)
            client.sendall(self.head("POST", "/signin", {
                "Content-Type": "application/x-www-form-urlencoded",
                "Content-Length": len(body)}) + body)
            answer = client.recv(65_536).decode()
        return re.search(r"(?i)set-cookie: (measured=[^;]+)", answer)[1]

    def change(self):
        """Answers an event, or takes the answer back."""
        address = f"http://localhost:{self.port}/api/v1/events"

        def send(path, method="GET", body=None):
            fields = {**self.bearer("writer"), "Content-Type": "application/json"}
            return urllib.request.urlopen(
                urllib.request.Request(address + path, body, fields, method=method)).read()

        event = json.loads(send(""))["events"][0]
        send(f"/{event['id']}/outcome", "DELETE" if event["completed"] else "PUT",
             None if event["completed"] else b'{"state":"done"}')


class Others:
    """Another program that reads a day, ten times a second, every fifth time over a new connection, and how
    long each read took. It is a process of its own: a thread would wait for the attack's."""

    def __init__(self, page):
        self.page, self.times, self.failed = page, [], 0
        system = multiprocessing.get_context("fork")
        self.isOver = system.Event()
        self.results, sender = system.Pipe(duplex=False)
        self.process = system.Process(target=self.read, args=(sender,), daemon=True)
        self.process.start()

    def read(self, results):
        page = self.page
        head = page.head("GET", f"/api/v1/events?date={DAY}", page.bearer("others"))
        client = None
        while not self.isOver.is_set():
            start = time.monotonic()
            try:
                if client is None or len(self.times) % 5 == 0:
                    client = page.connect("127.0.0.3")
                client.sendall(head)
                data = b""
                while b"\r\n\r\n" not in data:
                    data += client.recv(65_536) or self.gone()
                top, _, rest = data.partition(b"\r\n\r\n")
                if not top.startswith(b"HTTP/1.1 200"):
                    self.gone()
                length = int(re.search(rb"(?i)content-length: (\d+)", top)[1])
                while len(rest) < length:
                    rest += client.recv(65_536) or self.gone()
                self.times.append(time.monotonic() - start)
            except OSError:
                self.failed += 1
                client = None
            time.sleep(max(0, 0.1 - (time.monotonic() - start)))
        results.send((self.times, self.failed))

    @staticmethod
    def gone():
        raise OSError("no answer")

    def end(self):
        self.isOver.set()
        times, failed = self.results.recv() if self.results.poll(10) else ([], 1)
        times = sorted(times) or [999]
        return failed, times[min(len(times) - 1, int(len(times) * 0.99))] * 1e3


def leave(page, count, sources, data, small=False):
    """Opens connections, sends what the page takes of `data`, and leaves them alone."""
    clients = []
    for number in range(count):
        try:
            client = page.connect(sources[number % len(sources)], small)
            client.setblocking(False)
            client.send(data(number))
            clients.append(client)
        except OSError:
            pass
    return clients


def strangers(page):
    """Bodies in broken pieces; heads of 28 kB and bodies of 64 kB without their ends."""
    broken = page.head("POST", "/signin", {
        "Content-Type": "application/x-www-form-urlencoded", "Transfer-Encoding": "chunked"}) + b"zz\r\na\r\n"
    for client in leave(page, 50, ["127.0.0.3"], lambda _: broken):
        client.close()
    def data(number):
        return page.head("POST", "/signin", {
            "Content-Type": "application/x-www-form-urlencoded", "Content-Length": 65_535,
            **{f"X-{index}": "a" * 7_000 for index in range(4)}}) + b"a" * 65_000
    clients = leave(page, 890, ["127.0.0.2"], data)
    clients += leave(page, 1_700, [f"127.0.1.{number}" for number in range(1, 41)], data)
    time.sleep(3)
    return clients


def spans():
    """Spans of 400 days, each another one."""
    number = 0
    while True:
        end = int(time.time()) - number
        number += 1
        times = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
                 for moment in (end - SPAN, end)]
        yield f"/api/v1/events?from={times[0]}&to={times[1]}"


def streams(page):
    """Streams of a year and of a day, each of another span, while the store changes."""
    years = spans()

    def data(number):
        path = (next(years) if number % 2 else
                f"/api/v1/samples?last={number + 1}")
        return page.head("GET", path, {**page.bearer("reader"), "Accept": "text/event-stream"})
    clients = leave(page, 200, ["127.0.0.2", "127.0.0.4", "127.0.0.6", "127.0.0.7"], data)
    for _ in range(6):
        page.change()
        time.sleep(1)
    return clients


def readers(page):
    """Answers of a year that nobody reads, and uploads without their ends."""
    years = spans()
    clients = leave(page, 200, ["127.0.0.2", "127.0.0.4", "127.0.0.6", "127.0.0.7"],
                    lambda _: page.head("GET", next(years), page.bearer("reader")), small=True)
    time.sleep(5)
    cookie = page.session()

    def data(number):
        path = ["/language", "/setup/plan", "/signout"][number % 3]
        return page.head("POST", path, {
            "Cookie": cookie, "Content-Length": 4 << 20,
            "Content-Type": "multipart/form-data; boundary=x"}) + b"a" * 2_000_000
    clients += leave(page, 100, ["127.0.0.8", "127.0.0.9"], data)
    # What the system took of each is sent on.
    for _ in range(30):
        for client in clients[-100:]:
            try:
                client.send(b"a" * 200_000)
            except OSError:
                pass
        time.sleep(0.1)
    return clients


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        page = Page(options.program, pathlib.Path(folder))
        try:
            time.sleep(2)
            results.append(("memory at rest, MB", page.memory, None))
            for title, attack in [("unfinished requests of strangers", strangers),
                                  ("streams of a reader", streams),
                                  ("slow readers, unfinished uploads", readers)] * 2:
                page.peak, others = 0, Others(page)
                clients = attack(page)
                for client in clients:
                    client.close()
                failed, slowest = others.end()
                results += [(f"{title}: memory, MB", page.peak, 256),
                            (f"{title}: reads of others failed", failed, 0),
                            (f"{title}: p99 of others, ms", slowest, 100)]
            time.sleep(2)
            results.append(("memory afterwards, MB", page.memory, 256))
            results.append(("errors in the log", len(page.errors), 0))
            results.append(("the program has ended", int(page.process.poll() is not None), 0))
        finally:
            page.process.terminate()
            page.process.wait()
    failed = False
    for title, value, bound in results:
        is_met = bound is None or value <= bound
        failed |= not is_met
        print(f"{title:56}{value:10.2f}{'' if bound is None else f'{bound:10}'}"
              f"{'' if is_met else '   over its bound'}")
    sys.exit(failed)


main()
