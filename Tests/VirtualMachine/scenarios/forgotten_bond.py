"""The scale has forgotten its bond: the log reports it, and no bond is deleted automatically.

The advice of the log works: the bond is removed on this side, too, and made again at once.
"""

from bench.home import Home, same, within
from bench.measured import STATE
from peripherals.scale import WeightScale

LIMIT = 180


async def has_bond(home: Home, address: str) -> bool:
    """Whether a bond with the device is stored, by the daemon or by bluetoothd."""
    if home.mode == "bluetoothd":
        return await home.bluetoothd.bonds() == 1
    # A key is written as the kernel takes it, the address first and in its order.
    octets = "".join(reversed(address.split(":")))
    found = await home.machine.run(f"grep -i '^ltk .* {octets}' {STATE}/bonds.json || true")
    return bool(found)


async def run(home: Home) -> None:
    scale = await home.place(WeightScale(bonded=True))
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the first record is confirmed")
    await within(scale.disconnected, "the link is down")
    await home.completed("weigh-in")
    assert await has_bond(home, scale.address), "the bond is kept"

    await scale.forget()
    await scale.step_on(82.30)
    await home.measured.until_logged(scale.address, "measured forget")
    assert await has_bond(home, scale.address), "the bond was deleted"
    assert scale.records, "the scale keeps unconfirmed records"
    same(await home.weights(), [82.35])

    # Beside the daemon, whose pause of ten minutes ends with that.
    scale.paired.clear()
    await home.measured.command(f"forget {scale.address}")
    await within(scale.empty, "the second record is confirmed")
    assert scale.paired.is_set(), "there is a new bond"
    same(await home.weights(), [82.35, 82.30])
