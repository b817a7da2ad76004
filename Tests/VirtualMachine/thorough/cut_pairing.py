"""The link is lost in the middle of a scale's first pairing, twice: it is paired soon, and read."""

import asyncio

from bench.home import Home, same, within
from peripherals.scale import WeightScale

LIMIT = 400


async def run(home: Home) -> str:
    waits = []
    await home.begin()
    expected = []
    for packet in (2, 4):
        scale = await home.place(WeightScale(f"Scale {packet}", bonded=True))
        scale.lost_in_pairing = packet
        expected.append(82 + packet / 20)
        await scale.step_on(expected[-1])
        await within(scale.disconnected, f"the link is lost at packet {packet}", 90)
        start = asyncio.get_running_loop().time()
        await within(scale.empty, f"the record is confirmed after a loss at packet {packet}", 60)
        waits.append(asyncio.get_running_loop().time() - start)
        assert scale.paired.is_set(), "it is bonded"
    await home.completed("weigh-in")
    same(await home.weights(), expected)
    return "read after " + ", ".join(f"{wait:.0f}" for wait in waits) + " s"
