"""Devices of many makers: whole sessions, broken in the middle, and every reading once."""

import asyncio
import time
from datetime import datetime

from bench.home import Home, within
from peripherals.makers import SCRIPTS
from peripherals.scripted import Expected, ScriptedPeripheral

LIMIT = 240
# How many are awake at a time: their pauses overlap, and none waits long for its turn.
AT_ONCE = 4


async def run(home: Home) -> None:
    await home.begin(plan="makers")
    turns = asyncio.Semaphore(AT_ONCE)
    devices = [await home.place(ScriptedPeripheral(script())) for script in SCRIPTS]
    faults = [fault for fault in await asyncio.gather(*(_play(d, turns) for d in devices)) if fault]
    samples = await home.measured.samples()
    for device in devices:
        faults += _differences(device, [s for s in samples if s["device"] == device.address])
    assert not faults, "; ".join(faults)


async def _play(device: ScriptedPeripheral, turns: asyncio.Semaphore) -> str | None:
    """Lets a device do all that it is there for; gives what went wrong."""
    async with turns:
        await device.wake()
        try:
            await within(device.finished, f"{device.name} is done", 90)
        except AssertionError as error:
            return str(error)
        finally:
            await device.sleep()
            # What was sent last has to arrive.
            await asyncio.sleep(0.5)
            await device.hang_up()
    return None


def _differences(device: ScriptedPeripheral, samples: list[dict]) -> list[str]:
    """What of a device is missing in the store, or too much, and what it did not understand."""
    script = device.script
    faults = [f"{device.name} does not understand: {mistake}" for mistake in script.mistakes]
    left = list(script.expected)
    for sample in samples:
        if sample.get("definition") not in (None, script.definition):
            faults.append(f"{device.name} was taken for {sample['definition']}")
        match = next((item for item in left if _is(sample, item, device.first_awake or 0)), None)
        if match:
            left.remove(match)
        else:
            found = (sample["quantity"], sample["value"], sample["time"])
            faults.append(f"{device.name}: not expected: {found}")
    return faults + [f"{device.name}: missing: {item}" for item in left]


def _is(sample: dict, expected: Expected, since: float) -> bool:
    """Whether a sample is the expected one; without a time it was taken while it was awake."""
    if sample["quantity"] != expected.quantity or abs(sample["value"] - expected.value) > 1e-6:
        return False
    moment = datetime.fromisoformat(sample["time"])
    if expected.time is None:
        return since - 30 <= moment.timestamp() <= time.time() + 30
    return abs((moment - expected.time).total_seconds()) <= expected.tolerance
