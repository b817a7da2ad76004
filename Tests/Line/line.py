"""line.py PROGRAM [netem]: a box exchanges a week, a day, and a day on a line that breaks, with its centre.

The line is a proxy: 300 ms each way, 30 kbit/s in each direction. With netem it is the loopback of this machine,
which should do nothing else: as slow, and one packet in a hundred is lost. In the same run rsync copies the box's
store file over the same line.
"""

import asyncio
import csv
import json
import os
import pathlib
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, failures, free_port

PROGRAM = sys.argv[1]
DELAY, RATE = 0.3, 30_000 / 8
folder = pathlib.Path(tempfile.mkdtemp(prefix="line-"))
environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}


class Line:
    """A slow line to a port of this machine, which counts bytes and may break."""

    def __init__(self, port):
        self.target, self.bytes, self.connections, self.breaks = port, 0, 0, []

    async def open(self):
        self.server = await asyncio.start_server(self.connect, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def connect(self, reader, writer):
        self.connections += 1
        limit = self.breaks.pop(0) if self.breaks else None
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        carried = [0]
        ways = [
            asyncio.create_task(self.carry(reader, far_writer, carried, limit)),
            asyncio.create_task(self.carry(far_reader, writer, carried, limit)),
        ]
        is_broken = False
        try:
            for way in asyncio.as_completed(ways):
                if is_broken := await way:
                    break
        except asyncio.CancelledError:
            # The test is over.
            return
        finally:
            for way in ways:
                way.cancel()
        for one in (writer, far_writer):
            if is_broken:
                # A reset in place of an end.
                one.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()

    async def carry(self, reader, writer, carried, limit):
        """Carries one direction; `True` if the line broke."""
        queue = asyncio.Queue()

        async def take():
            while data := await reader.read(1_400):
                await queue.put((time.monotonic() + DELAY, data))
            await queue.put((time.monotonic() + DELAY, b""))

        taking, free = asyncio.create_task(take()), 0.0
        try:
            while True:
                due, data = await queue.get()
                free = max(free, due) + len(data) / RATE
                await asyncio.sleep(max(0, free - time.monotonic()))
                if limit is not None and carried[0] + len(data) > limit:
                    return True
                carried[0] += len(data)
                self.bytes += len(data)
                if not data:
                    writer.write_eof()
                    return False
                writer.write(data)
        except (OSError, RuntimeError, asyncio.CancelledError):
            return True
        finally:
            taking.cancel()


class KernelLine:
    """The loopback of this machine as a slow line. Where the other one breaks, it carries nothing for 20 s."""

    BYTES = pathlib.Path("/sys/class/net/lo/statistics/tx_bytes")
    SILENCE = 20

    def __init__(self, port):
        self.port, self.breaks = port, []

    @property
    def bytes(self):
        return int(self.BYTES.read_text())

    async def open(self):
        # Packets of the size that a line has, not of 64 kB.
        subprocess.run(["ip", "link", "set", "lo", "mtu", "1400", "gso_max_segs", "1"], check=True)
        self.shape("1%")
        self.breaking = asyncio.create_task(self.fall_silent())

    def shape(self, loss):
        subprocess.run(
            ["tc", "qdisc", "replace", "dev", "lo", "root", "netem", "limit", "1000", "delay", f"{DELAY * 1e3:.0f}ms",
             "rate", f"{RATE * 8:.0f}bit", "loss", loss], check=True)

    async def fall_silent(self):
        while True:
            while not self.breaks:
                await asyncio.sleep(0.1)
            end = self.bytes + self.breaks[0]
            while self.bytes < end:
                await asyncio.sleep(0.1)
            del self.breaks[0]
            self.shape("100%")
            await asyncio.sleep(self.SILENCE)
            self.shape("1%")


async def run(*arguments, store, status=0):
    """A command's output, and its exit code where `status` is `None`."""
    process = await asyncio.create_subprocess_exec(
        PROGRAM, *arguments, "--store", str(folder / store), env=environment,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    output, errors = await process.communicate()
    if status is None:
        return process.returncode
    assert process.returncode == status, (arguments, errors.decode())
    return output.decode()


async def until(port):
    for _ in range(300):
        try:
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            return
        except OSError:
            await asyncio.sleep(0.1)
    raise AssertionError(f"nobody listens on {port}")


def day(number):
    """A day of one person, as a CSV of measured samples: two weighings and a minute of steps for eight hours."""
    dice = random.Random(number)
    path = folder / f"day-{number}.csv"
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["Date", "Weight (kg)", "Steps"])
        for minute in range(480, 960):
            date = f"2026-03-{number:02}T{minute // 60:02}:{minute % 60:02}:00Z"
            weight = f"{80 + dice.random():.2f}" if minute in (485, 955) else ""
            table.writerow([date, weight, dice.randrange(1, 90)])
    return path


async def samples(store, person):
    lines = (await run("samples", "--patient", person, "--json", store=store)).splitlines()
    return sorted(json.dumps({key: json.loads(line).get(key) for key in ("quantity", "device", "value", "raw")}) for line in lines)


async def main():
    await run("demo", "--no-serve", store="box.sqlite")
    person = json.loads((await run("patient", "list", "--json", store="box.sqlite")).splitlines()[0])["id"]
    port = free_port()
    serving = await asyncio.create_subprocess_exec(
        PROGRAM, "serve", "--centre", "--store", str(folder / "centre.sqlite"), "--page", f"127.0.0.1:{port}",
        env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    await until(port)
    make_line = KernelLine if "netem" in sys.argv[2:] else Line
    line = make_line(port)
    await line.open()
    (folder / "there").mkdir()
    files = free_port()
    (folder / "rsyncd.conf").write_text(
        f"port = {files}\nuse chroot = no\n[there]\npath = {folder}/there\nread only = no\n"
        + (f"uid = {os.getuid()}\ngid = {os.getgid()}\n" if os.getuid() == 0 else ""))
    copying = await asyncio.create_subprocess_exec(
        "rsync", "--daemon", "--no-detach", "--config", str(folder / "rsyncd.conf"), "--log-file", "/dev/null")
    await until(files)
    copies = make_line(files)
    await copies.open()

    async def exchange(name, tries=1):
        before, begin, codes = line.bytes, time.monotonic(), []
        while len(codes) < tries and 0 not in codes:
            codes.append(await run("sync", "now", store="box.sqlite", status=None))
        taken = (line.bytes - before, time.monotonic() - begin)
        check(f"{name}: both sides are level", codes[-1] == 0, codes)
        here, there = [set(await samples(store, person)) for store in ("box.sqlite", "centre.sqlite")]
        check(f"{name}: the centre has what the box has", here == there, (len(here), len(there), list(here ^ there)[:2]))
        # The file as it lies there, with what its log still holds.
        await run("store", "check", store="box.sqlite")
        copy = folder / "copy.sqlite"
        copy.unlink(missing_ok=True)
        subprocess.run(
            ["python3", "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).backup(sqlite3.connect(sys.argv[2]))",
             str(folder / "box.sqlite"), str(copy)], check=True)
        before, begin = copies.bytes, time.monotonic()
        process = await asyncio.create_subprocess_exec(
            "rsync", "-z", str(copy), f"rsync://127.0.0.1:{copies.port}/there/box.sqlite")
        check(f"{name}: rsync copies the file", await process.wait() == 0)
        copied = (copies.bytes - before, time.monotonic() - begin)
        print(f"{name}: {taken[0] / 1e3:.1f} kB in {taken[1]:.0f} s, {len(codes)} tries; rsync -z of the file of "
              f"{copy.stat().st_size / 1e3:.0f} kB: {copied[0] / 1e3:.1f} kB in {copied[1]:.0f} s", flush=True)
        return taken, copied

    try:
        code = json.loads(await run(
            "centre", "invite", "--person", person, "--json", "--address", f"http://127.0.0.1:{line.port}",
            store="centre.sqlite"))["code"]
        await run("join", f"http://127.0.0.1:{line.port}", code, store="box.sqlite")
        await exchange("the first exchange, a week")
        await run("import", str(day(10)), "--patient", person, store="box.sqlite")
        taken, copied = await exchange("a day")
        check("a day's bytes are fewer than rsync's", taken[0] < copied[0], (taken, copied))
        await run("import", str(day(11)), "--patient", person, store="box.sqlite")
        line.breaks += [200, 900, 2_500, 4_000, 6_000]
        await exchange("a day on a line that breaks five times", tries=12)
    finally:
        serving.terminate()
        copying.terminate()
        await serving.wait()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if failures else 0)


asyncio.run(main())
