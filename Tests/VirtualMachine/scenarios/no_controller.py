"""The daemon starts without a controller, says so, and works once one is plugged in."""

from bench.home import Home, within
from peripherals.scale import WeightScale


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.controllers.unplug()
    await home.begin()
    await home.measured.until_logged("controller", seconds=20)
    await scale.step_on(82.35)
    await home.controllers.plug()
    await within(scale.empty, "the record is confirmed")
    await home.completed("weigh-in")
