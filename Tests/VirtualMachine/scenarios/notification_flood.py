"""A sensor floods: memory stays bounded, drops are reported, and a scale is still served."""

import asyncio

from bench.home import Home, eventually, within
from peripherals.hostile import Flooder
from peripherals.scale import WeightScale

SECONDS = 15
ALLOWED_KIB = 24 * 1024


async def run(home: Home) -> None:
    flooder = await home.place(Flooder(home.controllers.backlog))
    scale = await home.place(WeightScale())
    await home.begin()
    await asyncio.sleep(3)
    before = (await home.measured.memory())["Rss"]
    await flooder.wake()
    await eventually(lambda: flooder.sent, "the flood begins", 60)
    await asyncio.sleep(SECONDS)
    grown = (await home.measured.memory())["Rss"] - before
    await scale.step_on(82.35)
    await within(scale.empty, "the scale's record is confirmed in the flood", 90)
    await flooder.sleep()
    await flooder.hang_up()
    await home.completed("weigh-in", 90)
    assert grown < ALLOWED_KIB, f"{grown} KiB more"
    kept = len(await home.measured.samples("heartRate"))
    assert kept == flooder.sent or await home.measured.until_logged("dropped", seconds=70)
