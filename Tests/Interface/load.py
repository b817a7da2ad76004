"""Reads and watches the page's data while sensors send, and prints what it cost.

A plan, a 200 Hz accelerometer and a 1 Hz strap go into a store in real time; meanwhile 500 streams of a
day's events wait for a change, and connections read that day 2 000 times a second. Bounds: p99 of the
reads 20 ms, every stream told within 100 ms, nothing of the sensors lost, memory afterwards as before
within 10 %, 20 MB at rest that are the program's own: the pages of its file are the system's to drop.
"""

import argparse
import json
import math
import os
import pathlib
import random
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

DAY = "2026-11-20"
PLAN = """
timeZone: Europe/Vienna
patients:
  - {id: anna, name: {given: Anna}}
tasks:
  - {id: pulse, patient: anna, title: Pulse, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}],
     linkage: {quantity: heartRate, type: discrete, unit: /min}}
  - {id: walk, patient: anna, title: Walk, schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay, targets: [{value: 5000, unit: "1"}]}],
     linkage: {quantity: stepCount, type: cumulative, unit: "1"}}
  - {id: pills, patient: anna, title: Pills, schedule: [{start: 2026-11-01T08:00, interval: {days: 1}, duration: 1h}]}
devices:
  - {address: "A0:9E:1A:00:00:02", definition: sig-heart-rate, patient: anna}
  - {sensor: trunk, patient: anna}
"""


def trace(path, seconds, hour=10):
    """A strap's beat each second, and a walk at 200 Hz."""
    strap = "A0:9E:1A:00:00:02"
    service = {"uuid": "180D", "characteristics": [{"uuid": "2A37", "properties": ["notify"]}]}
    lines = [
        {"measured-trace": 1, "start": f"{DAY}T{hour:02}:00:00+01:00", "adapter": "load"},
        {"t": 0, "type": "advertisement", "address": strap, "addressType": "public", "rssi": -60,
         "data": "02010603030d18"},
        {"t": 0.1, "type": "connected", "address": strap},
        {"t": 0.2, "type": "services", "address": strap, "services": [service]},
    ]
    events = [(second + 0.5, {"type": "value", "address": strap, "service": "180D",
                              "characteristic": "2A37", "data": "00%02x" % (90 + second % 30)})
              for second in range(1, seconds)]
    for tenth in range(10, seconds * 10):
        samples = []
        for index in range(20):
            moment = tenth / 10 + index / 200
            samples.append([index / 200, 0.02, 0.05,
                            round(1 + 0.3 * math.sin(2 * math.pi * 1.8 * moment), 4)])
        events.append((tenth / 10, {"type": "motion", "sensor": "trunk", "samples": samples}))
    events.sort(key=lambda event: event[0])
    lines += [{"t": moment, **event} for moment, event in events]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def memory(process, kind="VmRSS"):
    """Resident memory in MB; of one kind, as /proc names it."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(rf"{kind}:\s+(\d+)", text)[1]) / 1024


class Streams:
    """Streams of server-sent events, and when each was told of the last change."""

    def __init__(self, port, path, count):
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        self.seen = {}
        head = (f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n"
                "Accept: text/event-stream\r\n\r\n").encode()
        for number in range(count):
            # One sender has fewer streams.
            source = f"127.0.1.{number % 20 + 1}"
            stream = socket.create_connection(("127.0.0.1", port), source_address=(source, 0))
            stream.sendall(head)
            stream.setblocking(False)
            self.selector.register(stream, selectors.EVENT_READ, number)
            self.sockets.append(stream)
        self.drain(3)

    def drain(self, seconds):
        """Reads what comes for some time, and notes when each stream had something."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                now = time.monotonic()
                data = key.fileobj.recv(1 << 16)
                if not data:
                    raise SystemExit("A stream has ended.")
                # A heartbeat is a comment.
                if data.lstrip()[:1] != b":":
                    self.seen.setdefault(key.data, now)

    def told(self, change, count):
        """After how long each stream was told of a change, in seconds, sorted."""
        self.seen = {}
        start = time.monotonic()
        threading.Thread(target=change, daemon=True).start()
        while len(self.seen) < count and time.monotonic() - start < 3:
            self.drain(0.05)
        if len(self.seen) < count:
            raise SystemExit(f"Only {len(self.seen)} of {count} streams were told.")
        return sorted(moment - start for moment in self.seen.values())

    def close(self):
        for stream in self.sockets:
            stream.close()


def read(port, path, rate, seconds, times):
    """Reads `path` at a rate over one connection; late reads count from when they were due."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode()
        due = time.monotonic() + random.random() / rate
        end = due + seconds
        buffer = b""
        while due < end:
            time.sleep(max(0, due - time.monotonic()))
            connection.sendall(head)
            while b"\r\n\r\n" not in buffer:
                buffer += connection.recv(1 << 16)
            top, _, rest = buffer.partition(b"\r\n\r\n")
            if not top.startswith(b"HTTP/1.1 200"):
                raise SystemExit(top.decode())
            length = int(re.search(rb"(?i)content-length: (\d+)", top)[1])
            while len(rest) < length:
                rest += connection.recv(1 << 16)
            buffer = rest[length:]
            times.append(time.monotonic() - due)
            due += 1 / rate


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rate", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "plan.yaml").write_text(PLAN)
        trace(folder / "trace.jsonl", options.seconds)
        trace(folder / "warm.jsonl", options.seconds, hour=9)
        store = str(folder / "load.sqlite")
        run = lambda *arguments: subprocess.run([options.program, *arguments], check=True,
                                                capture_output=True, text=True).stdout
        run("plan", "import", str(folder / "plan.yaml"), "--store", store)
        # All threads allocate from one arena, as in systemd/measured.service.
        server = subprocess.Popen([options.program, "serve", "--store", store, "--page",
                                   "127.0.0.1:0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True,
                                  env=os.environ | {"MALLOC_ARENA_MAX": "1"})
        try:
            measure(server, store, folder, run, options)
        finally:
            server.terminate()


def measure(server, store, folder, run, options):
    port = None
    for line in server.stdout:
        if found := re.search(r"http://[^:]+:(\d+)/", line):
            port = int(found[1])
            break
    threading.Thread(target=server.stdout.read, daemon=True).start()
    time.sleep(2)
    at_rest, of_its_own = memory(server), memory(server, "RssAnon")
    path = f"/api/v1/events?date={DAY}"
    address = f"http://localhost:{port}"

    def change(number):
        event = next(event for event in json.load(urllib.request.urlopen(address + path))["events"]
                     if event["task"] == "pills")
        method = "PUT" if number % 2 == 0 else "DELETE"
        request = urllib.request.Request(f"{address}/api/v1/events/{event['id']}/outcome",
                                         b'{"state":"done"}' if method == "PUT" else None,
                                         {"Content-Type": "application/json"}, method=method)
        return lambda: urllib.request.urlopen(request).read()

    def use(trace, seconds, changes):
        """What the box does under load; the streams' and the readers' times."""
        replay = subprocess.Popen([options.program, "replay", str(trace), "--store", store,
                                   "--speed", "1", "--json"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        streams = Streams(port, path, options.streams)
        told = []
        for number in range(changes):
            # The strap's beats are changes, too: the answer's may come together with one.
            told.append(streams.told(change(number), options.streams))
            streams.drain(1.3)
        streams.close()
        times, connections = [], 20
        readers = [threading.Thread(target=read, args=(port, path, options.rate / connections,
                                                       seconds, times))
                   for _ in range(connections)]
        begin = time.monotonic()
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        elapsed = time.monotonic() - begin
        replay.wait()
        time.sleep(6)
        return told, times, len(times) / elapsed

    # What the first use allocates stays; the second shows whether anything leaks.
    use(folder / "warm.jsonl", 10, 6)
    before = memory(server)
    told, times, rate = use(folder / "trace.jsonl", 10, 6)
    after = memory(server)
    alone = str(folder / "alone.sqlite")
    run("plan", "import", str(folder / "plan.yaml"), "--store", alone)
    for name in ("warm.jsonl", "trace.jsonl"):
        run("replay", str(folder / name), "--store", alone)

    def values(store, quantity):
        return [json.loads(line)["value"] for line in run(
            "samples", "--store", store, "--quantity", quantity, "--json").splitlines()]

    beats = [len(values(kept, "heartRate")) for kept in (alone, store)]
    steps = [sum(values(kept, "stepCount")) for kept in (alone, store)]
    times.sort()
    slowest = max(sample[-1] for sample in told)
    results = [
        ("memory at rest, MB", at_rest, None), ("its own memory at rest, MB", of_its_own, 20),
        ("memory before, MB", before, None),
        ("memory afterwards, of before", after / before, 1.1),
        ("reads/s", rate, None), ("median read, ms", times[len(times) // 2] * 1e3, None),
        ("p99 of the reads, ms", times[int(len(times) * 0.99)] * 1e3, 20),
        ("median of the streams' last, ms",
         sorted(sample[-1] for sample in told)[len(told) // 2] * 1e3, 100),
        ("slowest stream of all changes, ms", slowest * 1e3, None),
        ("beats lost", beats[0] - beats[1], 0), ("steps lost", steps[0] - steps[1], 0),
    ]
    failed = False
    for title, value, bound in results:
        is_met = bound is None or value <= bound
        failed |= not is_met
        print(f"{title:36}{value:10.2f}{'' if bound is None else f'{bound:10}'}"
              f"{'' if is_met else '   over its bound'}")
    sys.exit(failed)


main()
