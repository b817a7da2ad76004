"""The disk is full during a session, and freed: nothing is confirmed that is not kept, no restart."""

import asyncio

from bench.home import Home, same, within
from bench.measured import STATE
from peripherals.scale import WeightScale

LIMIT = 240


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.machine.run(f"mkdir -p /run/small && mount -t tmpfs -o size=6m small /run/small")
    try:
        await home.measured.make_store("home")
        await home.machine.run(f"cp -a {STATE}/. /run/small/ && mount --bind /run/small {STATE}")
        await home.measured.start()
        await scale.step_on(82.35)
        await within(scale.empty, "the first record is confirmed")
        await within(scale.disconnected, "the link is down")
        # Until not even the log of the store has room.
        await home.machine.run(f"dd if=/dev/zero of={STATE}/fill bs=4k 2>/dev/null; true")
        for number in range(12):
            await scale.step_on(81 + number / 10, at=1_790_000_000 + number * 600)
        await home.measured.until_logged("full disk", seconds=90)
        assert await home.measured.alive(), "it ended"
        await asyncio.sleep(5)
        await home.machine.run(f"rm {STATE}/fill")
        await within(scale.empty, "the other records are confirmed", 90)
        expected = [82.35] + [81 + number / 10 for number in range(12)]
        # What bluetoothd confirmed before waits in the program until its next try, every ten seconds.
        for _ in range(30):
            found = [sample["value"] for sample in await home.measured.samples("bodyMass")]
            if len(found) >= len(expected):
                break
            await asyncio.sleep(1)
        same(sorted(round(value, 2) for value in found), sorted(round(v, 2) for v in expected))
        await home.measured.stop()
    finally:
        await home.machine.run(f"umount {STATE}; umount /run/small; true")
