"""outlets.py PROGRAM: sends what waits to a webhook and to a database of points on this machine.

A million beats of a strap wait, and leave in batches of at most a hundred. Printed are values for each second of
the program's own processor time, its greatest memory, and that of a twelfth of the backlog. Bounds: 20 000 values
a second, 8 MB more for twelve times the backlog, everything once.
"""

import argparse
import datetime
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

PLAN = "timeZone: UTC\npatients: [{id: anna, name: {given: Anna}}]\ntasks: []\n"


class Receiver:
    """Takes requests over connections that stay, and counts the values."""

    def __init__(self, pattern):
        self.pattern = re.compile(pattern)
        self.values = self.requests = self.most = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            threading.Thread(target=self.serve, args=self.server.accept()[:1], daemon=True).start()

    def serve(self, peer):
        data = b""
        while True:
            while (end := data.find(b"\r\n\r\n")) < 0:
                more = peer.recv(1 << 18)
                if not more:
                    return
                data += more
            head, data = data[:end].lower(), data[end + 4:]
            length = re.search(rb"content-length: (\d+)", head)
            length = int(length[1]) if length else 0
            if b"100-continue" in head:
                peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            while len(data) < length:
                data += peer.recv(1 << 18)
            body, data = data[:length], data[length:]
            peer.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            count = len(self.pattern.findall(body))
            self.values += count
            self.requests += 1
            self.most = max(self.most, count)


def measured(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=900)
    if result.returncode:
        sys.exit(result.stderr)


def processor(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process):
    """The greatest resident memory so far, and what is the program's own now, in MB."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return tuple(int(re.search(rf"{kind}:\s+(\d+)", text)[1]) / 1024 for kind in ("VmHWM", "RssAnon"))


def make(program, folder, values, every, singles):
    """A store in which so many beats wait, or measurements of glucose, each with a name of its own."""
    store = folder / f"{values}.sqlite"
    plan, history = folder / "plan.yaml", folder / "history"
    plan.write_text(PLAN)
    start = datetime.datetime(2025, 6, 1)
    with history.open("w") as file:
        file.write("[" if singles else "date,time,heartRate\n")
        for number in range(values):
            moment = start + datetime.timedelta(seconds=number * (every or (300 if singles else 1)))
            if singles:
                date = round(moment.replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)
                file.write(f'{"," * (number > 0)}{{"_id":"{number}","type":"mbg","mbg":{60 + number % 40},"date":{date}}}\n')
            else:
                file.write(f"{moment:%Y-%m-%d,%H:%M:%S},{60 + number % 40}\n")
        file.write("]" if singles else "")
    measured(program, "plan", "import", str(plan), "--store", str(store))
    measured(program, "import", str(history), "--patient", "anna", "--store", str(store))
    return store


def run(program, folder, store, kind, values, profile):
    receiver = Receiver(rb'"value":' if kind == "webhook" else rb"(?m)^(?:heartRate|bloodGlucoseMass),")
    settings, secret = folder / "settings.yaml", folder / "secret"
    secret.write_text("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX\n")
    secret.chmod(0o600)
    of_kind = f"secretFile: {secret}" if kind == "webhook" else "database: health"
    settings.write_text(
        f"store: {store}\npage: off\noutlets:\n"
        f"  one: {{kind: {kind}, address: 'http://127.0.0.1:{receiver.port}', people: all, since: 2000-01-01, {of_kind}}}\n")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([program, "run", "--settings", str(settings)], stdout=log, stderr=log)
    try:
        began = time.monotonic()
        if profile:
            time.sleep(0.5)
            subprocess.Popen(["perf", "record", "-q", "-F", "199", "--call-graph", "fp", "-o", f"{profile}.{kind}",
                              "-p", str(process.pid)])
        while receiver.values < values and time.monotonic() - began < 900 and process.poll() is None:
            time.sleep(0.05)
        took, (peak, own) = processor(process), memory(process)
        elapsed = time.monotonic() - began
        time.sleep(5)
        rest = processor(process)
        time.sleep(10)
        idle = (processor(process) - rest) / 10
    finally:
        process.terminate()
        process.wait(30)
    once = receiver.values == values
    print(f"{kind}: {values} values in {receiver.requests} requests of at most {receiver.most}, "
          f"{values / took:.0f} a second of processor ({took:.1f} s, {elapsed:.1f} s elapsed), "
          f"at most {peak:.1f} MB, {own:.1f} MB own, at rest {idle:.4f} of a core"
          + ("" if once else f": {receiver.values} ARRIVED"), flush=True)
    return values / took, own, once


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--values", type=int, default=1_000_000)
    parser.add_argument("--every", type=float, help="the seconds between two values")
    parser.add_argument("--singles", action="store_true", help="measurements of glucose, each with a name of its own, in place of beats")
    parser.add_argument("--kinds", default="webhook,influxDB")
    parser.add_argument("--profile", help="write the profiles of perf to files of this name")
    options = parser.parse_args()
    holds = True
    for kind in options.kinds.split(","):
        # What was sent is noted in the store, so each kind has stores of its own.
        with tempfile.TemporaryDirectory(prefix="outlets-") as name:
            folder = pathlib.Path(name)
            few, all_ = (
                run(options.program, folder, make(options.program, folder, values, options.every, options.singles),
                    kind, values, profile)
                for values, profile in ((options.values // 12, None), (options.values, options.profile)))
            holds = holds and few[2] and all_[2] and all_[0] >= 20_000 and all_[1] < few[1] + 8
    sys.exit(0 if holds else 1)


main()
