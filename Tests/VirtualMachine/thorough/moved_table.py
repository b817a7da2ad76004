"""A scale has another attribute table at its next link, and does not say so: it is read all the same."""

from bumble.core import UUID
from bumble.gatt import Service

from bench.home import Home, same, within
from peripherals.peripheral import Properties
from peripherals.scale import WeightScale

LIMIT = 240


class UpdatedScale(WeightScale):
    """The same scale after an update: every handle is another one."""

    def offered(self) -> list[Service]:
        numbers = [
            self.characteristic(uuid, Properties.READ | Properties.NOTIFY, b"1")
            for uuid in ("2A24", "2A25", "2A27")
        ]
        return [Service(UUID("180A"), numbers), *super().offered()]


async def run(home: Home) -> None:
    before = await home.place(WeightScale())
    await home.begin()
    for kilograms in (82.35, 82.30):
        await before.step_on(kilograms)
        await within(before.empty, f"{kilograms} kg are confirmed")
        await within(before.disconnected, "the link is down")
    await before.leave()
    home.peripherals.remove(before)

    after = await home.place(UpdatedScale(address=before.address))
    for kilograms in (82.25, 82.20):
        await after.step_on(kilograms)
        await within(after.empty, f"{kilograms} kg are confirmed after the update", 90)
        await within(after.disconnected, "the link is down")
    await home.completed("weigh-in")
    same(await home.weights(), [82.35, 82.30, 82.25, 82.20])
