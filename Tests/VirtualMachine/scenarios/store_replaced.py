"""Another file takes the store's place: links are down until the right one is back, nothing is lost."""

from bench.home import Home, same, within
from bench.settings import VM_HOME
from bench.store import links_stay_down
from peripherals.scale import WeightScale

LIMIT = 240


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the first record is confirmed")
    await within(scale.disconnected, "the link is down")
    store = home.measured.store
    await home.machine.run(f"""
        mkdir -p {store}.away {store}.other
        {home.measured.program} plan import {VM_HOME}/plans/home.yaml --store {store}.other/new
        for end in "" -wal -shm; do [ ! -e {store}$end ] || mv {store}$end {store}.away; done
        mv {store}.other/new {store}
        """)
    confirmed = len(scale.confirmed)
    await scale.step_on(82.40, at=1_790_000_000)
    await home.measured.until_logged("Another file is in the place", seconds=60)
    await links_stay_down(home, scale)
    if home.mode == "kernel":
        same(len(scale.confirmed), confirmed)

    await home.machine.run(f"""
        for end in "" -wal -shm; do [ ! -e {store}$end ] || mv {store}$end {store}.other; done
        mv {store}.away/* $(dirname {store})
        """)
    await home.measured.until_logged("can be written again", seconds=30)
    await within(scale.empty, "the second record is confirmed", 60)
    same(sorted(await home.weights()), [82.35, 82.40])
    other = await home.machine.run(
        f"{home.measured.program} samples --store {store}.other/measured.sqlite --json"
    )
    assert not other.strip(), f"the other store has samples: {other}"
