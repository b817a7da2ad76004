"""bluetoothd's own keyboard goes away and returns three times while the daemon listens: it is linked."""

import asyncio

from bumble.core import UUID
from bumble.gatt import Service

from bench.home import Home, eventually, within
from peripherals.peripheral import Peripheral, Properties
from peripherals.scale import WeightScale

MODES = ("bluetoothd",)
LIMIT = 300
# One key, without modifiers (HID 1.11 §6.2.2).
REPORT_MAP = bytes.fromhex("05010906a10105071900296515002565750895018100c0")


class Keyboard(Peripheral):
    """HID over GATT, as little of it as bluetoothd takes."""

    def offered(self) -> list[Service]:
        return [
            Service(
                UUID("1812"),
                [
                    self.characteristic("2A4A", Properties.READ, bytes([0x11, 0x01, 0, 2])),
                    self.characteristic("2A4B", Properties.READ, REPORT_MAP),
                    self.characteristic("2A4C", Properties.WRITE_WITHOUT_RESPONSE),
                    self.characteristic("2A4D", Properties.READ | Properties.NOTIFY, b"\x00"),
                ],
            )
        ]


async def run(home: Home) -> str:
    keyboard = await home.place(Keyboard("Bench Keyboard", ["1812"], bonded=True))
    scale = await home.place(WeightScale())
    await keyboard.wake()
    await home.machine.run(
        f"(echo agent NoInputNoOutput; echo scan le; sleep 6; echo pair {keyboard.address}; sleep 10;"
        f" echo trust {keyboard.address}; sleep 2) | bluetoothctl >/out/bluetoothctl.log 2>&1"
    )
    assert keyboard.paired.is_set(), "bluetoothd bonds"
    await home.begin()
    await asyncio.sleep(5)
    waits = []
    for seconds in (2, 20, 7):
        await keyboard.sleep()
        await keyboard.hang_up()
        await asyncio.sleep(seconds)
        await keyboard.wake()
        start = asyncio.get_running_loop().time()
        await eventually(lambda: keyboard.connection, "the keyboard is linked again", 60)
        waits.append(asyncio.get_running_loop().time() - start)
        await asyncio.sleep(3)
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    assert keyboard.connection, "the keyboard's link stays"
    return "back after " + ", ".join(f"{wait:.0f}" for wait in waits) + " s"
