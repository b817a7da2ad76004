"""bluetoothd as the sensor: BlueZ's example of a heart-rate server is read as it is."""

import asyncio

from bench.home import Home
from bench.settings import VM_WORK
from peripherals.strangers import BluezStrap

LIMIT = 400
# It sends every second; its guest is slow.
SECONDS, LEAST = 60, 20


async def run(home: Home) -> str:
    await home.begin()
    strap = await home.place(BluezStrap(VM_WORK / "run" / f"stranger-{home.mode}"))
    await home.completed("pulse", 120)
    before = strap.sent()
    await asyncio.sleep(SECONDS)
    kept = await home.measured.samples("heartRate")
    assert len(kept) >= LEAST, f"{len(kept)} of {strap.sent()} values"
    return f"{len(kept)} of {strap.sent()} values kept, {before} of them sent before the first"
