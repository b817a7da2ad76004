"""A scale that only broadcasts is received while the radio serves a strap and another scale."""

import asyncio

from bench.home import Home, eventually
from peripherals.scale import BroadcastScale, WeightScale
from peripherals.strap import HeartRateStrap


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap(rate=10))
    connected = await home.place(WeightScale())
    broadcast = await home.place(BroadcastScale())
    await home.begin()
    await strap.wake()
    await eventually(lambda: strap.beats, "the strap streams", 60)
    await connected.step_on(82.35)
    weighing = asyncio.ensure_future(broadcast.step_on(81.95))
    await asyncio.wait_for(connected.empty.wait(), 60)
    await weighing
    await home.completed("weigh-in")
    weights = sorted(await home.weights())
    assert weights == [81.95, 82.35], weights
