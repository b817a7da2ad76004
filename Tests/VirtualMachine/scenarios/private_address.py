"""A bonded scale takes another private address every time, and is the same scale."""

from bench.home import Home, within
from peripherals.scale import WeightScale


async def run(home: Home) -> None:
    scale = await home.place(WeightScale(bonded=True, private=True))
    await home.begin()
    for kilograms in (82.35, 82.30, 82.25):
        await scale.rotate()
        await scale.step_on(kilograms)
        await within(scale.empty, f"{kilograms} kg are confirmed")
        await within(scale.disconnected, "the link is down")
        if kilograms == 82.35:
            await home.completed("weigh-in")
            assert scale.paired.is_set(), "the first link bonds"
            scale.paired.clear()
    assert not scale.paired.is_set(), "no second pairing was needed"
    samples = await home.measured.samples("bodyMass")
    assert [sample["value"] for sample in samples] == [82.35, 82.30, 82.25], samples
