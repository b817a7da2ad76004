"""A sensor takes the link and never answers: it is let go, and the others are served."""

from bench.home import Home, eventually, within
from peripherals.scale import WeightScale


async def run(home: Home) -> None:
    silent = await home.place(WeightScale("Silent Scale", silent=True))
    scale = await home.place(WeightScale())
    await home.begin()
    await silent.wake()
    await eventually(lambda: silent.connections, "the silent one is connected to", 60)
    await scale.step_on(82.35)
    await within(scale.empty, "the other one's record is confirmed", 90)
    await home.completed("weigh-in")
    await within(silent.disconnected, "the silent one is let go", 60)
    await home.measured.until_logged(silent.address)
