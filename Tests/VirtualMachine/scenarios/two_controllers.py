"""Two controllers at once; when one is pulled the other one goes on."""

from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap())
    scale = await home.place(WeightScale())
    await home.controllers.plug(1)
    await home.begin()
    await strap.wake()
    await eventually(lambda: len(strap.beats) > 3, "the strap streams", 60)
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    await within(scale.disconnected, "the link is down")

    await home.controllers.unplug(0)
    heard = len(strap.beats)
    await scale.step_on(82.30)
    await within(scale.empty, "a record is confirmed over the other controller")
    await eventually(lambda: len(strap.beats) > heard + 3, "the strap streams", 60)
    await home.completed("weigh-in")
    same(await home.weights(), [82.35, 82.30])
