"""A scale that wants a bond; the bond outlives the daemon, the controller's plug and the guest."""

from bench.home import Home, same, within
from peripherals.scale import WeightScale

LIMIT = 240


async def run(home: Home) -> None:
    scale = await home.place(WeightScale(bonded=True))
    await home.begin()
    expected = []

    async def weigh(kilograms: float) -> None:
        await scale.step_on(kilograms)
        await within(scale.empty, f"{kilograms} kg are confirmed")
        await within(scale.disconnected, "the link is down")
        expected.append(kilograms)

    await weigh(82.35)
    await home.completed("weigh-in")
    assert scale.paired.is_set(), "the first link bonds"
    scale.paired.clear()

    await weigh(82.30)
    await home.measured.stop()
    await home.measured.start()
    await weigh(82.25)
    await home.controllers.unplug()
    await home.controllers.plug()
    await weigh(82.20)
    await home.reboot()
    await home.measured.start()
    await weigh(82.15)

    assert not scale.paired.is_set(), "no second pairing was needed"
    same(await home.weights(), expected)
