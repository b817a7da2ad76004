"""The daemon ends six times while a strap streams, another one each time: bluetoothd survives it."""

from bench.home import Home, eventually
from peripherals.strap import HeartRateStrap

MODES = ("bluetoothd",)
LIMIT = 300


async def run(home: Home) -> None:
    await ends(home, 6)


async def ends(home: Home, times: int) -> None:
    """Ends the daemon so many times; bluetoothd must not crash."""
    await home.measured.make_store("home")
    for number in range(times):
        strap = await home.place(HeartRateStrap(name=f"Strap {number}", rate=4))
        await strap.wake()
        await home.measured.start()
        await eventually(lambda: len(strap.beats) > 8, "beats", 60)
        await home.measured.stop()
        await strap.sleep()
        await home.machine.run("[ -e /proc/$(</run/bluetoothd) ]")
        crash = await home.machine.run("dmesg | grep segfault || true")
        assert not crash, f"after {number + 1} ends: {crash}"
