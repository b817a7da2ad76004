"""Under measured.service: the daemon is restarted, and crashes; both times it goes on measuring."""

from bench.home import Home, same, within
from peripherals.scale import WeightScale

SYSTEMD = True
LIMIT = 180


async def run(home: Home) -> None:
    scale = await home.place(WeightScale(bonded=True))
    await home.begin()
    weights = (82.35, 82.30, 82.25)
    for kilograms in weights:
        if kilograms == 82.30:
            await home.measured.stop()
            await home.measured.start()
        elif kilograms == 82.25:
            await home.measured.crash()
        await scale.step_on(kilograms)
        await within(scale.empty, f"{kilograms} kg are confirmed")
        await within(scale.disconnected, "the link is down")
    await home.completed("weigh-in")
    same(await home.weights(), list(weights))
