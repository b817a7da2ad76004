"""bluetoothd starts after the daemon.

Where the daemon waits for it, it goes to work. Where the daemon works with the kernel, it lets go of
the controller, and a bond that bluetoothd keeps still serves; it takes the controller again when
bluetoothd has ended.
"""

from bench.home import Home, eventually, within
from peripherals.scale import WeightScale


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    if home.mode == "bluetoothd":
        await home.bluetoothd.stop()
        await home.begin()
        await home.measured.until_logged("bluetoothd")
        await scale.step_on(82.35)
        await home.bluetoothd.start()
        await within(scale.empty, "the record is confirmed")
        await home.completed("weigh-in")
        return

    # Another person's scale, bonded with bluetoothd.
    bonded = await home.place(WeightScale("Other Scale", bonded=True))
    await bonded.wake()
    await home.bluetoothd.start()
    await home.machine.run(
        f"(echo agent NoInputNoOutput; echo scan le; sleep 6; echo pair {bonded.address}; sleep 8) |"
        " bluetoothctl >/out/bluetoothctl.log 2>&1"
    )
    assert bonded.paired.is_set(), "bluetoothd bonds"
    bonded.paired.clear()
    await bonded.sleep()
    await bonded.hang_up()
    await home.bluetoothd.stop()

    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed by the kernel mode")
    await home.completed("weigh-in")
    await home.bluetoothd.start()
    await home.measured.until_logged("bluetoothd was started")
    await bonded.wake()
    await home.machine.run(
        f"(sleep 2; echo connect {bonded.address}; sleep 12) | bluetoothctl >>/out/bluetoothctl.log 2>&1"
    )
    await eventually(lambda: bonded.connection, "bluetoothd connects its own scale")
    assert bonded.connection.encryption, "with the bond that it kept"
    assert not bonded.paired.is_set(), "no second pairing was needed"
    assert await home.measured.alive(), "measured ended"

    await bonded.sleep()
    await bonded.hang_up()
    await home.bluetoothd.stop()
    await scale.step_on(82.05)
    await within(scale.empty, "the kernel mode goes on", 90)
    assert await home.measured.alive(), "measured ended"
