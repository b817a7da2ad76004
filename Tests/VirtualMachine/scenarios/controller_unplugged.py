"""The controller vanishes while a strap streams, and returns."""

from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap())
    scale = await home.place(WeightScale())
    await home.begin()
    await strap.wake()
    await eventually(lambda: len(strap.beats) > 3, "the strap streams", 60)
    await home.controllers.unplug()
    assert await home.measured.alive(), "measured ended with the controller"
    await scale.step_on(82.35)
    heard = len(strap.beats)
    await home.controllers.plug()
    await within(scale.empty, "a record is confirmed after the controller came back")
    await eventually(lambda: len(strap.beats) > heard + 3, "the strap streams again", 60)
    await home.completed("weigh-in")
    same(await home.weights(), [82.35])
