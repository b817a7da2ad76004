"""A strap refuses to be subscribed to, once and then four times: it is not left mute."""

import asyncio

from bench.home import Home, eventually
from peripherals.strap import HeartRateStrap

LIMIT = 300


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap())
    await home.begin()
    for refusals, seconds in ((1, 60), (4, 120)):
        strap.refused_subscriptions = refusals
        await strap.wake()
        count = len(strap.beats)
        await eventually(lambda: len(strap.beats) > count + 3, "beats", seconds)
        assert strap.refused_subscriptions == 0
        await strap.sleep()
        await strap.hang_up()
        await asyncio.sleep(3)
    beats = await home.measured.samples("heartRate")
    assert len(beats) >= len(strap.beats) - 4, f"{len(beats)} of {len(strap.beats)} beats kept"
