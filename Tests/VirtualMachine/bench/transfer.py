"""Interrupting the daemon amid a scale's forty records, again and again."""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable

from peripherals.scale import WeightScale, kilograms

from . import pace
from .home import Home, eventually, within

RECORDS = 40
# Records at five and at fifty a second, so many times each.
PAUSES, TIMES = (0.2, 0.02), int(os.environ.get("TIMES") or 20)
# How long all of that takes on an idle host, in seconds.
LIMIT = 3600

# A weight every 5 g and a moment every ten minutes, so that each record is another one.
LIGHTEST, STEP, FIRST_MOMENT = 74.0, 0.005, 1_790_000_000


async def interrupted(
    home: Home, interrupt: Callable[[], Awaitable[None]], resume: Callable[[], Awaitable[None]]
) -> str:
    """Whatever is confirmed when the interruption is over is kept, and all forty in the end, once.

    Gives how many were confirmed at the interruptions.
    """
    sent = 0
    at_interruptions: list[int] = []
    for pause in PAUSES:
        for number in range(TIMES):
            scale = await home.place(WeightScale(f"Scale {len(at_interruptions)}"))
            scale.pause = pause
            expected = []
            for _ in range(RECORDS):
                expected.append(round(LIGHTEST + STEP * sent, 3))
                scale.keep(expected[-1], at=FIRST_MOMENT + 600 * sent)
                sent += 1
            await scale.wake()
            if not home.measured.running:
                await home.measured.start()
            # Another place in the transfer each time.
            begun = 2 + number * 3 // 2
            await eventually(lambda: len(scale.confirmed) >= begun, f"{begun} confirmed", 90)
            await interrupt()
            confirmed = [kilograms(record) for record in scale.confirmed]
            at_interruptions.append(len(confirmed))
            await _nothing_lost(home, confirmed)
            await resume()
            await within(scale.empty, "every record is confirmed", 120)
            await within(scale.disconnected, "the link is down")
            await _all_once(home, expected)
            await scale.sleep()
    return f"{len(at_interruptions)} times, {min(at_interruptions)} to {max(at_interruptions)} confirmed"


async def _kept(home: Home) -> Counter[float]:
    """The weights of the last forty records."""
    samples = await home.measured.samples("bodyMass", last=RECORDS)
    return Counter(round(sample["value"], 3) for sample in samples)


async def _nothing_lost(home: Home, confirmed: list[float]) -> None:
    """What the scale saw confirmed is kept, at the latest a moment later."""
    for _ in range(round(pace.limit(5))):
        kept = await _kept(home)
        lost = [weight for weight in confirmed if not kept[weight]]
        if not lost:
            return
        await asyncio.sleep(1)
    raise AssertionError(f"confirmed and not kept: {lost}")


async def _all_once(home: Home, expected: list[float]) -> None:
    for _ in range(round(pace.limit(5))):
        kept = await _kept(home)
        if kept == Counter(expected):
            return
        await asyncio.sleep(1)
    raise AssertionError(f"{sum(kept.values())} kept, of which {sorted(kept)} are not {expected}")
