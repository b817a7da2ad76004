"""A strap and a scale at once: both are served, nothing of either is lost."""

from bench.home import Home, eventually, within
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap(rate=4))
    scale = await home.place(WeightScale())
    await home.begin()
    await strap.wake()
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    await eventually(lambda: len(strap.beats) > 20, "the strap streams", 60)
    await strap.take_off()
    await home.completed("weigh-in")
    await home.completed("pulse")
    kept = [round(sample["value"]) for sample in await home.measured.samples("heartRate")]
    assert kept == strap.beats, f"{len(kept)} of {len(strap.beats)} beats kept"
