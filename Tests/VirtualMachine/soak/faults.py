"""What goes wrong in a soak. Each fault ends with everything as it was before."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from peripherals.peripheral import Peripheral

from .household import Household

Fault = Callable[[Household, random.Random], Awaitable[None]]


async def unplug(household: Household, chance: random.Random) -> None:
    """The controller is pulled for some seconds."""
    await household.home.controllers.unplug()
    await asyncio.sleep(chance.uniform(1, 10))
    await household.home.controllers.plug()


async def _away(sensor: Peripheral, chance: random.Random) -> None:
    await sensor.sleep()
    await sensor.hang_up()
    await asyncio.sleep(chance.uniform(2, 20))
    await sensor.wake()


async def strap_lost(household: Household, chance: random.Random) -> None:
    """The strap goes out of range, and returns."""
    await _away(household.strap, chance)


async def accelerometer_lost(household: Household, chance: random.Random) -> None:
    """The accelerometer goes out of range, and returns."""
    await _away(household.accelerometer, chance)


async def cut_record(household: Household, chance: random.Random) -> None:
    """A link ends in the middle of a record."""
    scale = chance.choice(household.scales)
    scale.drops_the_link_on_record = True
    await household.weigh(scale)


async def hang_up(household: Household, chance: random.Random) -> None:
    """A sensor takes its link down, and advertises again."""
    if linked := [sensor for sensor in household.sensors if sensor.connection]:
        await chance.choice(linked).hang_up()


async def silent_scale(household: Household, chance: random.Random) -> None:
    """A scale takes no more requests and confirmations, and hangs up in the end."""
    scale = chance.choice(household.scales)
    scale.silent = True
    await household.weigh(scale)
    await asyncio.sleep(chance.uniform(10, 40))
    scale.silent = False
    await scale.hang_up()


async def silent_strap(household: Household, chance: random.Random) -> None:
    """The strap falls silent on its link: after a minute the daemon makes another one."""
    household.strap.worn = False
    await asyncio.sleep(chance.uniform(5, 20))
    household.strap.worn = True


async def restart(household: Household, chance: random.Random) -> None:
    """The daemon is stopped and started."""
    await household.home.measured.stop()
    await asyncio.sleep(chance.uniform(0, 5))
    await household.home.measured.start()


FAULTS: list[Fault] = [
    unplug, strap_lost, accelerometer_lost, cut_record, hang_up, silent_scale, silent_strap,
]  # fmt: skip
# Only in the first part of a soak: what is measured at the end has lived long.
EARLY_FAULTS: list[Fault] = [*FAULTS, restart]


async def go_wrong(
    household: Household, chance: random.Random, seconds: float, count: Callable[[str], None]
) -> None:
    """Lets one fault after the other happen for some time."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    while (elapsed := loop.time() - start) < seconds:
        fault = chance.choice(EARLY_FAULTS if elapsed < seconds / 4 else FAULTS)
        count(fault.__name__)
        await fault(household, chance)
        await asyncio.sleep(chance.uniform(5, 25))
