"""An accelerometer at 200 Hz: every packet arrives, and the walk is counted."""

import asyncio
import json

from bench.home import Home, eventually
from bench.measured import PROGRAM, STATE
from peripherals.motion import Accelerometer

SECONDS = 15


async def run(home: Home) -> None:
    sensor = await home.place(Accelerometer())
    await home.begin()
    await home.measured.stop()
    await home.machine.run(
        f"rm -f /run/walk.jsonl; STATE_DIRECTORY={STATE} {PROGRAM} record /run/walk.jsonl"
        f" --radio {home.mode} >/out/record.log 2>&1 & echo $! >/run/job.record"
    )
    await sensor.wake()
    await eventually(lambda: sensor.sent > SECONDS * sensor.rate, "the walk", 60 + SECONDS)
    sensor.streaming = False
    await asyncio.sleep(2)
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
    assert numbers == list(range(sensor.sent)), f"{len(numbers)} of {sensor.sent} packets recorded"
