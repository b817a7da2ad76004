"""The link ends in the middle of an indication: the record is fetched again, and counts once."""

from bench.home import Home, same, within
from peripherals.scale import WeightScale


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    scale.drops_the_link_on_record = True
    record = await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed at last")
    await home.completed("weigh-in")
    same(scale.sent, [record, record])
    same(await home.weights(), [82.35])
