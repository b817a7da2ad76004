"""What the tests beside a PostgreSQL share: databases, the program, what they found, and a way that breaks."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
measured = os.path.abspath(sys.argv[1])
server = os.environ["MEASURED_POSTGRESQL"]
folder = tempfile.mkdtemp(prefix="measured-answers.")
environment = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder + "/state", LANG="C.UTF-8", TZ="UTC")
environment.pop("MEASURED_STORE", None)
failures = []
schemas = 0

PLAN = """
timeZone: UTC
patients: [{id: ann, name: {given: Ann}}]
tasks:
  - id: steps
    patient: ann
    title: Count
    schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}]
    progress: sum
  - {id: note, patient: ann, title: Note, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}]}
devices: [{address: "A0:9E:1A:00:00:01", definition: polar-h10, patient: ann}]
"""


def sql(*statements):
    command = ["psql", "-qAtX", server]
    for statement in statements:
        command += ["-c", statement]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def database():
    """The address of an empty database: a schema of its own."""
    global schemas
    schemas += 1
    name = f"answers_{os.getpid()}_{schemas}"
    sql(f"CREATE SCHEMA {name}")
    return f"{server}&options=-csearch_path%3D{name}"


def run(*arguments, store=None, text=None, may_fail=False):
    command = [measured, *arguments] + (["--store", store] if store else [])
    done = subprocess.run(command, cwd=root, env=environment, input=text, text=True, capture_output=True)
    if done.returncode and not may_fail:
        failures.append(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return done


def plain(text, store):
    """A text without what is another one in each run: random names, the time, the store's path."""
    text = text.replace(f"'{store}'", "STORE").replace(store, "STORE")
    text = re.sub(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}", "RANDOM", text)
    now = time.time() * 1e6
    text = re.sub(r"\b1\d{15}\b", lambda m: "NOW" if abs(int(m[0]) - now) < 3.6e9 else m[0], text)
    return re.sub(r'"digest":"[0-9a-f]+"', "DIGEST", text)


def expect(isTrue, what, *details):
    print(("ok    " if isTrue else "FAILED") + " " + what, flush=True)
    if not isTrue:
        failures.append(what + "".join("\n" + str(detail)[:2000] for detail in details))


def expect_sound(store, what):
    check = run("store", "check", store=store, may_fail=True)
    expect("as it should be" in check.stdout, what, check.stdout + check.stderr)


def plan(store, text=PLAN):
    path = folder + "/plan.yaml"
    with open(path, "w") as file:
        file.write(text)
    run("plan", "import", path, store=store)


def strap(path, seconds, address="A0:9E:1A:00:00:01"):
    """A strap's beats, once a second."""
    with open(path, "w") as file:
        def line(**values):
            file.write(json.dumps(values) + "\n")
        line(**{"measured-trace": 1, "start": "2026-11-20T07:00:00Z", "adapter": "hci0"})
        line(t=0, type="connected", address=address)
        line(t=0.5, type="services", address=address, services=[
            {"uuid": "180D", "characteristics": [{"uuid": "2A37", "properties": ["notify"]}]}])
        for second in range(1, seconds):
            line(t=second, type="value", address=address, service="180D", characteristic="2A37",
                 data=f"00{60 + second % 40:02x}")
        line(t=seconds, type="disconnected", address=address)


def replay_beside(path, store, disturb):
    """Replays until the end is reached, while `disturb` runs, which is told when to stop.

    Returns the last command, and how many there were."""
    stop = threading.Event()
    other = threading.Thread(target=disturb, args=(stop,))
    other.start()
    attempts = 0
    while attempts < 40:
        attempts += 1
        done = run("replay", path, "--json", store=store, may_fail=True)
        if done.returncode == 0:
            break
    stop.set()
    other.join()
    return done, attempts


def expect_same_samples(stores, what):
    lines = [
        sorted(json.dumps(json.loads(l)["value"]) + json.loads(l)["time"]
               for l in run("samples", "--json", "--from", "2026-11-19", store=s).stdout.splitlines())
        for s in stores]
    expect(lines[0] == lines[1] and len(lines[0]) > 100, f"{what}: all {len(lines[0])} samples are there once",
           len(lines[1]))


def kept_steps(store):
    """The sum of the values of a day's count."""
    events = run("events", "--from", "2026-11-10", "--to", "2026-11-11", "--json", store=store).stdout
    return sum(value["value"] for event in map(json.loads, events.splitlines()) if event["task"] == "steps"
               for value in event["values"])


def count(value, store, may_fail=False):
    return run("done", "steps", "--date", "2026-11-10", "--value", str(value), "--unit", "1", store=store,
               may_fail=may_fail)


class Relay:
    """A way to the server that breaks once a change was committed, before its answer; then `broken` is
    called, and after some seconds the way is open again."""

    def __init__(self, outage=0, broken=None, target=None):
        self.outage, self.broken, self.is_cut, self.links = outage, broken, False, []
        self.target = target or os.environ["MEASURED_POSTGRESQL_FOLDER"] + "/.s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def address(self, store):
        """The address of a store by this way."""
        way = store.replace("@/", f"@127.0.0.1:{self.port}/")
        return re.sub(r"host=[^&]*", "sslmode=disable&gssencmode=disable", way)

    def accept(self, listener):
        try:
            while True:
                client, _ = listener.accept()
                link = socket.socket(socket.AF_UNIX)
                try:
                    link.connect(self.target)
                except OSError:
                    client.close()
                    continue
                self.links += [client, link]
                threading.Thread(target=self.pass_on, args=(client, link, True), daemon=True).start()
                threading.Thread(target=self.pass_on, args=(link, client, False), daemon=True).start()
        except OSError:
            pass

    def pass_on(self, source, target, is_client):
        try:
            while data := source.recv(1 << 16):
                # Of all commits only that of a change tells others.
                if is_client and not self.is_cut and b"NOTIFY" in data and b"COMMIT" in data:
                    self.is_cut = True
                    self.listener.shutdown(socket.SHUT_RDWR)
                    self.listener.close()
                    source.shutdown(socket.SHUT_RDWR)
                    target.sendall(data)
                    time.sleep(0.5)
                    for link in self.links:
                        link.close()
                    if self.broken:
                        self.broken()
                    threading.Timer(self.outage, self.reopen).start()
                    return
                target.sendall(data)
        except OSError:
            pass

    def reopen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()


def finish(*tests):
    """Runs tests, and ends with what they found."""
    try:
        for test in tests:
            test()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if failures:
        print("\n== failed\n" + "\n".join(failures), file=sys.stderr)
        sys.exit(1)
