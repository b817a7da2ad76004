"""Bumble's example of a heart-rate server is read as it is."""

import asyncio

from bench.home import Home
from peripherals.strangers import BumbleStrap

LIMIT = 240
# It sends every three seconds, and without skin contact, which is no heart rate, every third time.
SECONDS, LEAST = 60, 6


async def run(home: Home) -> str:
    await home.begin()
    strap = await home.place(BumbleStrap())
    await home.completed("pulse", 90)
    await asyncio.sleep(SECONDS)
    assert strap.process.returncode is None, "the stranger ended"
    kept = await home.measured.samples("heartRate")
    assert len(kept) >= LEAST, f"{len(kept)} values"
    return f"{len(kept)} values kept"
