"""A strap goes out of range six times: it is linked again, and no beat of a link is lost."""

import asyncio

from bench import pace
from bench.beats import compared
from bench.home import Home, eventually
from peripherals.strap import HeartRateStrap

LIMIT = 400
AWAY = (2, 5, 10, 3, 20, 1)


async def run(home: Home) -> str:
    strap = await home.place(HeartRateStrap(rate=2))
    await home.begin()
    await strap.wake()
    waits = []

    async def stream() -> float:
        loop = asyncio.get_running_loop()
        start, count = loop.time(), len(strap.sent)
        await eventually(lambda: len(strap.sent) > count, "a beat", 60)
        wait = loop.time() - start
        await eventually(lambda: len(strap.sent) > count + 12, "beats", 30)
        return wait

    await stream()
    for seconds in AWAY:
        await strap.sleep()
        await strap.vanish()
        await asyncio.sleep(seconds)
        await strap.wake()
        waits.append(await stream())
    await strap.take_off()
    await home.completed("pulse")
    kept = [round(sample["value"]) for sample in await home.measured.samples("heartRate")]
    beats = compared(strap.sent, kept, pace.slowness())
    assert beats.good, beats
    return f"{beats.kept} of {beats.sent} beats; back after {min(waits):.0f} to {max(waits):.0f} s"
