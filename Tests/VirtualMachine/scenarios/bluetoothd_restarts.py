"""bluetoothd is restarted, and killed, under the daemon."""

from bench.home import Home, eventually, same, within
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap

MODES = ("bluetoothd",)
LIMIT = 180


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap())
    scale = await home.place(WeightScale())
    await home.begin()
    await strap.wake()
    await eventually(lambda: len(strap.beats) > 3, "the strap streams", 60)
    for signal, kilograms in (("TERM", 82.35), ("KILL", 82.30)):
        await home.bluetoothd.stop(signal)
        heard = len(strap.beats)
        await home.bluetoothd.start()
        await scale.step_on(kilograms)
        await within(scale.empty, f"a record is confirmed after SIG{signal}")
        await within(scale.disconnected, "the link is down")
        await eventually(lambda: len(strap.beats) > heard + 3, "the strap streams again", 60)
    await home.completed("weigh-in")
    same(await home.weights(), [82.35, 82.30])
