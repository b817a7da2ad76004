"""A scale is on the air for four seconds and hangs up two seconds after it was linked: all is kept."""

import asyncio

from bench import pace
from bench.home import Home, same
from peripherals.scale import WeightScale

LIMIT = 500
WEIGHINGS = 8
AWAKE, LINKED, BETWEEN = 4, 2, 10


class HastyScale(WeightScale):
    """Hangs up two seconds after it was linked, whatever it has."""

    def _on_connection(self, connection) -> None:
        super()._on_connection(connection)
        self._leaving = asyncio.get_running_loop().create_task(self._leave(connection))

    async def _leave(self, connection) -> None:
        await asyncio.sleep(pace.limit(LINKED))
        if self.connection is connection:
            await self.hang_up()


async def run(home: Home) -> str:
    scale = await home.place(HastyScale())
    await home.begin()
    expected = []

    async def show() -> None:
        await scale.wake()
        await asyncio.sleep(pace.limit(AWAKE))
        await scale.sleep()
        await asyncio.sleep(BETWEEN)

    for number in range(WEIGHINGS):
        expected.append(round(80 + number / 10, 1))
        scale.keep(expected[-1])
        await show()
    again = 0
    while scale.records:
        again += 1
        assert again <= WEIGHINGS, f"{len(scale.records)} records were never taken"
        await show()
    await home.completed("weigh-in")
    same(await home.weights(), expected)
    return f"{scale.connections} links, {again} more than there were weighings"
