"""A Mi scale broadcasts for half a second, sixty times: at least 57 weighings are kept."""

import asyncio
import os
import random

from bench.home import Home
from peripherals.scale import BroadcastScale

LIMIT = 900
TIMES, LEAST = int(os.environ.get("TIMES") or 20) * 3, 0.95
SECONDS = 0.5


async def run(home: Home) -> str:
    chance = random.Random(1)
    scale = await home.place(BroadcastScale())
    await home.begin()
    await home.measured.until_logged("listening")
    await asyncio.sleep(5)
    sent = []
    for number in range(TIMES):
        await asyncio.sleep(chance.uniform(3, 9))
        sent.append(round(76 + number / 10, 1))
        await scale.flash(sent[-1], SECONDS)
    await asyncio.sleep(10)
    samples = await home.measured.samples("bodyMass")
    kept = [round(sample["value"], 1) for sample in samples]
    missed = [weight for weight in sent if weight not in kept]
    text = f"{len(kept)} of {TIMES} kept" + (f", missed {missed}" if missed else "")
    assert len(kept) == len(set(kept)) and set(kept) <= set(sent), f"{text}: {kept}"
    assert len(missed) <= TIMES * (1 - LEAST), text
    return text
