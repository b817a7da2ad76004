"""The daemon is stopped and reloaded amid forty records: what is confirmed is kept, each once."""

import asyncio

from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale

LIMIT = 420
RECORDS = 40


async def run(home: Home) -> None:
    await home.measured.make_store("home")
    expected = []
    for pause, signal in ((0.2, "TERM"), (0.02, "TERM"), (0.2, "HUP")):
        scale = await home.place(WeightScale(name=f"Scale {len(expected)}"))
        scale.pause = pause
        for number in range(RECORDS):
            kilograms = 80 + (len(expected) % 80) / 20
            expected.append(kilograms)
            moment = 1_790_000_000 + len(expected) * 600
            await scale.step_on(kilograms, at=moment)
        if not home.measured.running:
            await home.measured.start()
        await eventually(lambda: len(scale.confirmed) >= 8, "eight records are confirmed", 90)
        if signal == "HUP":
            await home.measured.signal("HUP")
        else:
            await home.measured.stop()
            await asyncio.sleep(3)
            await _all_kept(home, scale, len(expected) - RECORDS)
            await home.measured.start()
        await within(scale.empty, "every record is confirmed", 120)
        await asyncio.sleep(2)
    found = await home.measured.samples("bodyMass")
    same(sorted(sample["value"] for sample in found), sorted(expected))


async def _all_kept(home: Home, scale: WeightScale, before: int) -> None:
    kept = len(await home.measured.samples("bodyMass")) - before
    assert kept >= len(scale.confirmed), f"{len(scale.confirmed)} confirmed, {kept} kept"
