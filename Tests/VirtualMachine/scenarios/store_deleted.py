"""The store is deleted under the daemon: it confirms nothing more, says so, and ends in order."""

import asyncio

from bench.home import Home, within
from peripherals.scale import WeightScale

LIMIT = 180


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the first record is confirmed")
    await within(scale.disconnected, "the link is down")
    await home.machine.run(f"rm {home.measured.store}*")
    confirmed = len(scale.confirmed)
    await scale.step_on(82.40, at=1_790_000_000)
    await home.measured.until_logged("deleted or replaced", seconds=60)
    for _ in range(100):
        if not await home.measured.alive():
            break
        await asyncio.sleep(0.2)
    assert not await home.measured.alive(), "it goes on without a file"
    home.measured.running = False
    if home.mode == "kernel":
        assert len(scale.confirmed) == confirmed, "a record is confirmed that is not kept"
