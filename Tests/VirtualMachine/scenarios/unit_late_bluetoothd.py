"""Under measured.service without a mode: bluetoothd starts after the daemon, which waits for it."""

from bench.home import Home, within
from peripherals.scale import WeightScale

SYSTEMD = True
MODES = ("bluetoothd",)


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.machine.run("systemctl stop bluetooth")
    await home.begin()
    await home.measured.until_logged("bluetoothd")
    await scale.step_on(82.35)
    await home.machine.run("systemctl start bluetooth")
    await within(scale.empty, "the record is confirmed")
    await home.completed("weigh-in")
