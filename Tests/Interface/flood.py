"""Opens ten thousand connections to the page, and prints what the flood does to others and to the memory.

First all come from one address and say nothing: another address is read meanwhile. Then they come from a
hundred addresses with half a request each: the page answers again once they have been silent for too long.
Bounds: every read answered within a second in the first part and 60 s after the second, 60 MB more memory
at the worst; a second time neither memory (10 %) nor open descriptors grow.
"""

import argparse
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

PLAN = "timeZone: Europe/Vienna\npatients: [{id: anna}]\n"
HALF = b"GET /today HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


class Program:
    """The served page."""

    def __init__(self, program, folder):
        plan, store = folder / "plan.yaml", str(folder / "flood.sqlite")
        plan.write_text(PLAN)
        subprocess.run([program, "plan", "import", str(plan), "--store", store], check=True,
                       capture_output=True)
        self.process = subprocess.Popen(
            [program, "serve", "--store", store, "--page", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if found := re.search(r"http://[^:]+:(\d+)/", line):
                self.port = int(found[1])
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    @property
    def memory(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    @property
    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def read(self, source, timeout):
        """Reads a page from an address of this machine: the seconds, or nothing if there is no answer."""
        start = time.monotonic()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout, (source, 0)) as client:
                client.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.settimeout(max(0.01, timeout - (time.monotonic() - start)))
                if not client.recv(64).startswith(b"HTTP/1.1 200"):
                    return None
        except OSError:
            return None
        return time.monotonic() - start


def flood(program, count, sources, data=b""):
    """Opens connections and leaves them alone."""
    clients = []
    for number in range(count):
        client = socket.socket()
        client.bind((sources[number % len(sources)], 0))
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", program.port))
        clients.append(client)
        if number % 100 == 99:
            time.sleep(0.02)
            for client in clients[-100:]:
                try:
                    client.send(data)
                except OSError:
                    pass
    return clients


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--connections", type=int, default=10_000)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < options.connections + 100:
        raise SystemExit(f"This user may open {hard} files; {options.connections} are needed.")
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, pathlib.Path(folder))
        try:
            measure(program, options.connections)
        finally:
            program.process.terminate()
            program.process.wait()


def endure(program, count):
    """Two floods, and what each did to others."""
    peak = 0
    clients = flood(program, count, ["127.0.0.2"])
    beside = []
    for _ in range(20):
        beside.append(program.read("127.0.0.3", 5))
        peak = max(peak, program.memory)
        time.sleep(0.1)
    for client in clients:
        client.close()

    addresses = [f"127.0.1.{number}" for number in range(1, 101)]
    clients = flood(program, count, addresses, HALF)
    start = time.monotonic()
    recovered = None
    while recovered is None and time.monotonic() - start < 120:
        peak = max(peak, program.memory)
        if program.read("127.0.0.3", 2) is not None:
            recovered = time.monotonic() - start
    for client in clients:
        client.close()
    time.sleep(22)
    again = [program.read("127.0.0.1", 5) for _ in range(50)]
    time.sleep(1)
    return beside, recovered, again, peak


def measure(program, count):
    time.sleep(2)
    at_rest = program.memory
    # What the first flood allocates stays; the second shows whether anything leaks.
    endure(program, count)
    before, descriptors = program.memory, program.descriptors
    beside, recovered, again, peak = endure(program, count)
    failed = program.process.poll() is not None
    results = [
        ("unanswered reads beside one address", sum(one is None for one in beside), 0),
        ("slowest of the others, s", max((one for one in beside if one is not None), default=0), 1),
        ("half requests of 100: answers after, s", recovered or 999, 60),
        ("unanswered reads afterwards", sum(one is None for one in again), 0),
        ("memory at the most, MB above rest", peak - at_rest, 60),
        ("memory afterwards, of the first time", program.memory / before, 1.1),
        ("descriptors more than the first time", program.descriptors - descriptors, 0),
    ]
    for title, value, bound in results:
        is_met = value <= bound
        failed |= not is_met
        print(f"{title:40}{value:10.2f}{bound:10}{'' if is_met else '   over its bound'}")
    sys.exit(failed)


main()
