"""A strap streams for a minute, and every beat is kept, in order."""

import asyncio

from bench.home import Home, eventually
from peripherals.strap import HeartRateStrap

LIMIT = 180
SECONDS = 60


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap(rate=2))
    await home.begin()
    await strap.wake()
    await eventually(lambda: strap.beats, "the first beat", 60)
    await asyncio.sleep(SECONDS)
    await strap.take_off()
    await home.completed("pulse")
    kept = [round(sample["value"]) for sample in await home.measured.samples("heartRate")]
    assert strap.connections == 1, f"{strap.connections} links"
    assert kept == strap.beats, f"{len(kept)} of {len(strap.beats)} beats kept"
