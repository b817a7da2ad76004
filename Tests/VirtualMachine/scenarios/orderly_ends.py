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
        # One that no plan names: it is linked once, so that somebody can be asked whose it is.
        address = f"C4:12:34:56:7B:{number:02X}"
        strap = await home.place(HeartRateStrap(f"Strap {number}", rate=4, address=address))
        await strap.wake()
        await home.measured.start()
        await eventually(lambda: len(strap.beats) > 8, "beats", 60)
        await home.measured.stop()
        await strap.sleep()
        await home.machine.run("[ -e /proc/$(</run/bluetoothd) ]")
        crash = await home.machine.run("dmesg | grep segfault || true")
        assert not crash, f"after {number + 1} ends: {crash}"
