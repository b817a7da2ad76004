"""An accelerometer at 200 Hz, fewer where the guest is slow: every packet arrives, and the walk is counted."""

import asyncio
import json
import time

from bench import pace
from bench.home import Home, eventually
from bench.measured import PROGRAM, STATE
from peripherals.motion import Accelerometer

SECONDS = 15


async def run(home: Home) -> None:
    # What a starved guest cannot take, bluetoothd and the kernel drop: nobody else can have it.
    sensor = await home.place(Accelerometer(rate=200 / pace.slowness()))
    await home.begin()
    await home.measured.stop()
    await home.machine.run(
        f"rm -f /run/walk.jsonl; STATE_DIRECTORY={STATE} {PROGRAM} record /run/walk.jsonl"
        f" --radio {home.mode} >/out/record.log 2>&1 & echo $! >/run/job.record"
    )
    await sensor.wake()
    await eventually(lambda: sensor.sent > SECONDS * sensor.rate, "the walk", 60 + SECONDS)
    sensor.streaming = False
    await arrived(home)
    # It writes what waits in its queue before it ends.
    await home.machine.run("""
        kill -TERM $(</run/job.record)
        while [ -e /proc/$(</run/job.record) ]; do sleep 0.1; done
        rm /run/job.record
        cp /run/walk.jsonl /out
        """)
    numbers = []
    for line in (home.folder / "walk.jsonl").read_text().splitlines():
        event = json.loads(line)
        if event.get("type") == "value" and event["data"].startswith("5561"):
            numbers.append(int.from_bytes(bytes.fromhex(event["data"])[14:18], "little"))
    lost = sorted(set(range(sensor.sent)) - set(numbers))
    assert numbers == list(range(sensor.sent)), (
        f"{len(numbers)} of {sensor.sent} packets recorded, lost: {ranges(lost)}"
    )


async def arrived(home: Home) -> None:
    """Waits until the recording has not grown for two seconds: a slow guest still reads its queues."""
    size, grown = -1, time.monotonic()
    while time.monotonic() - grown < 2:
        now = int(await home.machine.run("stat -c %s /run/walk.jsonl"))
        if now != size:
            size, grown = now, time.monotonic()
        await asyncio.sleep(0.3)


def ranges(numbers: list[int]) -> str:
    """Sorted numbers as their runs: 3–7, 12."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}–{last}" if first < last else str(first) for first, last in runs[:20])
