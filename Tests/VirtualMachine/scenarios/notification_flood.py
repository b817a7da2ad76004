"""A sensor floods: memory stays bounded, a scale is still served, and what is dropped is told.

To the last value. With bluetoothd it does not pass yet: `thorough/signal_flood.py`.
"""

import asyncio
import re
import time

from bench import pace
from bench.home import Home, eventually, within
from peripherals.hostile import Flooder
from peripherals.scale import WeightScale

MODES = ("kernel",)
SECONDS = 15
ALLOWED_KIB = 24 * 1024


async def run(home: Home) -> str:
    flooder = await home.place(Flooder(home.controllers.backlog))
    scale = await home.place(WeightScale())
    await home.begin()
    await asyncio.sleep(3)
    before = (await home.measured.footprint()).memory
    await flooder.wake()
    await eventually(lambda: flooder.sent, "the flood begins", 60)
    await asyncio.sleep(SECONDS)
    grown = (await home.measured.footprint()).memory - before
    await scale.step_on(82.35)
    await within(scale.empty, "the scale's record is confirmed in the flood", 90)
    await flooder.sleep()
    await flooder.hang_up()
    await home.completed("weigh-in", 90)
    assert grown < ALLOWED_KIB, f"{grown} KiB more"

    limit = time.monotonic() + pace.limit(60)
    while True:
        kept = len(await home.measured.samples("heartRate"))
        told = sum(map(int, re.findall(r"(\d+) values of .* were dropped", home.measured.log())))
        text = f"{flooder.sent} sent, {kept} kept, {told} told as dropped, {grown} KiB more"
        if kept + told == flooder.sent or (home.mode == "bluetoothd" and told):
            return text
        assert time.monotonic() < limit, text
        await asyncio.sleep(2)
