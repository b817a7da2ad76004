"""The controller's firmware hangs and goes on: what is deaf afterwards is cured, what stays deaf is told."""

import asyncio

from bench import pace
from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale

LIMIT = 600
# Longer than a discovery, so that the command that ends it is lost.
SHORTLY = 14
DEAF = "receives nothing"


async def run(home: Home) -> str:
    scale = await home.place(WeightScale())
    await home.begin()
    controller = home.controllers.all[0]
    await scale.step_on(82.35)
    await within(scale.empty, "the first record is confirmed")
    await eventually(lambda: scale.connection is None, "the link is down")
    await asyncio.sleep(pace.limit(5))

    for weight in (82.30, 82.25):
        controller.hangs = True
        await asyncio.sleep(SHORTLY)
        controller.hangs = False
        await scale.step_on(weight)
        await within(scale.empty, f"{weight} is confirmed after the controller goes on", 90)
        await eventually(lambda: scale.connection is None, "the link is down again")
        await asyncio.sleep(pace.limit(5))

    told = home.measured.log().count(DEAF)
    controller.hangs = True
    for _ in range(int(pace.limit(200))):
        if home.measured.log().count(DEAF) > told:
            break
        await asyncio.sleep(1)
    doctor = await home.measured.command("doctor", check=False)
    controller.hangs = False
    assert DEAF in doctor, doctor
    await scale.step_on(82.20)
    await within(scale.empty, "82.20 is confirmed after the controller goes on", 120)
    await home.measured.until_logged("receives again", seconds=60)
    doctor = await home.measured.command("doctor", check=False)
    assert DEAF not in doctor, doctor
    same(await home.weights(), [82.35, 82.30, 82.25, 82.20])
    log = home.measured.log()
    return f"{log.count(DEAF)} times deaf, {log.count('is on.')} times switched on"
