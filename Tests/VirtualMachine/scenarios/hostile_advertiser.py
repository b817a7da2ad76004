"""Somebody advertises nonsense from ever new addresses: memory stays bounded, a scale is served."""

import asyncio

from bench.home import Home, same, within
from peripherals.hostile import HostileAdvertiser
from peripherals.scale import WeightScale

SECONDS = 20
ALLOWED_KIB = 24 * 1024


async def run(home: Home) -> None:
    hostile = await home.place(HostileAdvertiser())
    scale = await home.place(WeightScale())
    await home.begin()
    await asyncio.sleep(3)
    before = (await home.measured.footprint()).memory
    raving = asyncio.ensure_future(hostile.rave(home.controllers.all[0], SECONDS))
    await asyncio.sleep(SECONDS / 2)
    await scale.step_on(82.35)
    await raving
    await within(scale.empty, "the scale's record is confirmed", 90)
    await home.completed("weigh-in", 90)
    grown = (await home.measured.footprint()).memory - before
    assert grown < ALLOWED_KIB, f"{grown} KiB more"
    same(await home.weights(), [82.35])
