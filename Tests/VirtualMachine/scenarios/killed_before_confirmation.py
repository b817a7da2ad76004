"""The daemon dies between an indication and its confirmation: nothing lost, nothing twice.

Twice after its sample was durable (the confirmation leaves, and never arrives), once before it has
read the indication at all, and at moments in between.
"""

import asyncio

from bench.home import Home, same, within
from peripherals.scale import WeightScale

# bluetoothd confirms by itself.
MODES = ("kernel",)
LIMIT = 240
DELAYS = (0, 0.005, 0.02, 0.05)


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    expected = []

    async def restart() -> None:
        await home.measured.start()
        await within(scale.empty, "the record is confirmed in the end")
        await within(scale.disconnected, "the link is down")

    for kilograms in (82.35, 82.30):
        expected.append(kilograms)
        scale.confirmation_held.clear()
        scale.holds_confirmations = True
        await scale.step_on(kilograms)
        await within(scale.confirmation_held, "the daemon confirms")
        await home.measured.kill()
        scale.holds_confirmations = False
        assert scale.records, "the scale saw no confirmation"
        await restart()

    for delay in DELAYS:
        expected.append(round(81.05 + len(expected) / 10, 2))
        scale.indicated.clear()
        await scale.step_on(expected[-1])
        await within(scale.indicated, "an indication")
        if delay == 0:
            await home.measured.signal("STOP")
        await asyncio.sleep(delay)
        await home.measured.kill()
        await restart()

    same(await home.weights(), expected)
