"""Bluetooth is blocked by software under the daemon, again and again, and at its start: it says so, and works after."""

import asyncio

from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap

LIMIT = 300
FLAPS = 5


async def block(home: Home, blocked: bool) -> None:
    """Writes an event for all Bluetooth switches (linux/rfkill.h): index, type, operation, soft, hard."""
    soft = 1 if blocked else 0
    await home.machine.run(f"printf '\\0\\0\\0\\0\\2\\3\\{soft}\\0' >/dev/rfkill")


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap())
    scale = await home.place(WeightScale())
    await home.begin()
    try:
        await strap.wake()
        await eventually(lambda: len(strap.beats) > 3, "the strap streams", 60)
        await block(home, True)
        await within(strap.disconnected, "the strap's link is down", 20)
        await home.measured.until_logged("blocked", seconds=20)
        doctor = await home.measured.command("doctor", check=False)
        assert "rfkill unblock bluetooth" in doctor, doctor
        await scale.step_on(82.35)
        for _ in range(FLAPS):
            await block(home, False)
            await asyncio.sleep(0.3)
            await block(home, True)
            await asyncio.sleep(0.3)
        count = len(strap.beats)
        await block(home, False)
        await within(scale.empty, "the record is confirmed after the block")
        await eventually(lambda: len(strap.beats) > count + 3, "the strap streams again", 60)

        await home.measured.stop()
        await block(home, True)
        await home.measured.start()
        await scale.step_on(82.30)
        await asyncio.sleep(5)
        assert await home.measured.alive(), "it ended at a blocked start"
        assert scale.records, "a record is confirmed over a blocked controller"
        await block(home, False)
        await within(scale.empty, "the record is confirmed after a blocked start")
    finally:
        await block(home, False)
    await home.completed("weigh-in")
    same(await home.weights(), [82.35, 82.30])
