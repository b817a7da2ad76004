"""Another D-Bus client discovers, and holds a link, on the same controller."""

from bench.home import Home, eventually, within
from peripherals.peripheral import Peripheral
from peripherals.scale import WeightScale

MODES = ("bluetoothd",)


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    lamp = await home.place(Peripheral("Bench Lamp", ["FE0F"], battery=True))
    await lamp.wake()
    await home.begin()
    await home.machine.run(f"""
        (echo scan le; sleep 8; echo connect {lamp.address}; sleep 100) |
          bluetoothctl >/out/bluetoothctl.log 2>&1 &
        echo $! >/run/job.bluetoothctl
        """)
    await eventually(lambda: lamp.connection, "the other client's link", 60)
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    await home.completed("weigh-in")
    assert lamp.connection, "the other client's link stays"
    assert lamp.connections == 1, f"{lamp.connections} links"
