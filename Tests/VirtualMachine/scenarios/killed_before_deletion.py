"""The daemon dies between a record's transfer and its deletion: nothing lost, nothing twice."""

import asyncio

from bench.home import Home, same, within
from peripherals.meter import GlucoseMeter

LIMIT = 240
DELAYS = (0, 0.01, 0.05, 0.2)


async def run(home: Home) -> None:
    meter = await home.place(GlucoseMeter())
    await home.begin(definitions=("sig-glucose",))
    expected = []
    for delay in DELAYS:
        for _ in range(3):
            expected.append(round(5 + len(expected) / 10, 1))
            meter.measure(expected[-1])
        meter.transferred.clear()
        await meter.wake()
        await within(meter.transferred, "the records are transferred")
        await asyncio.sleep(delay)
        await home.measured.kill()
        await meter.hang_up()
        await home.measured.start()
        await within(meter.emptied, "the records are deleted")
        await meter.sleep()
        await meter.hang_up()
    await home.completed("sugar")
    kept = [round(sample["value"], 1) for sample in await home.measured.samples("bloodGlucose")]
    same(kept, expected)
