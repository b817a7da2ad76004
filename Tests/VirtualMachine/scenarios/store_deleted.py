"""The store is deleted under the daemon: it says so, its links go down, nothing more is confirmed."""

from bench.home import Home, same, within
from bench.store import links_stay_down
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
    await home.measured.until_logged("deleted or renamed", seconds=60)
    await links_stay_down(home, scale)
    if home.mode == "kernel":
        same(len(scale.confirmed), confirmed)
