"""The clock is a day ahead and is put right while a strap streams: it is linked again at once."""

import asyncio
import time

from bench.home import Home, eventually
from peripherals.strap import HeartRateStrap

LIMIT = 240
DAY = 86_400


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap())
    await home.begin()
    try:
        for days in (1, 0, -1, 0):
            await home.machine.run(f"date -s @{time.time() + days * DAY:.0f}")
            await strap.wake()
            count = len(strap.beats)
            await eventually(lambda: len(strap.beats) > count + 5, "beats", 60)
            await strap.hang_up()
            count = len(strap.beats)
            await eventually(lambda: len(strap.beats) > count + 5, "beats on another link", 40)
        await home.measured.until_logged("clock was set back by", seconds=10)
        await home.measured.until_logged("clock was set forward by", seconds=10)
        await strap.take_off()
    finally:
        await home.machine.run(f"date -s @{time.time():.0f}")
    await asyncio.sleep(2)
    beats = await home.measured.samples("heartRate")
    assert len(beats) >= len(strap.beats) - 8, f"{len(beats)} of {len(strap.beats)} beats kept"
    moments = {beat["time"] for beat in beats}
    assert len(moments) == len(beats), f"{len(beats)} beats at {len(moments)} moments"
