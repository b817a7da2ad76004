"""bluetoothd crashes under systemd, which does not start it again: the daemon has it started."""

from bench.home import Home, within
from peripherals.scale import WeightScale

MODES = ("bluetoothd",)
SYSTEMD = True
LIMIT = 180


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the first record is confirmed")
    await within(scale.disconnected, "the link is down")
    await home.machine.run("systemctl kill -s KILL bluetooth")
    await home.measured.until_logged("bluetoothd", seconds=10)
    await scale.step_on(82.40)
    await within(scale.empty, "the second record is confirmed", 90)
