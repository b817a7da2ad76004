"""The scale has forgotten its bond: the user is told, and nothing is deleted behind their back."""

from bench.home import Home, within
from bench.measured import STATE
from peripherals.scale import WeightScale


async def bonds(home: Home) -> int:
    """How many bonds are kept, by whoever keeps them."""
    if home.mode == "bluetoothd":
        return await home.bluetoothd.bonds()
    listed = await home.machine.run(f"find {STATE} -type f -perm 600 ! -name '*.sqlite*' | wc -l")
    return int(listed)


async def run(home: Home) -> None:
    scale = await home.place(WeightScale(bonded=True))
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the first record is confirmed")
    await within(scale.disconnected, "the link is down")
    await home.completed("weigh-in")
    kept = await bonds(home)
    assert kept == 1, f"{kept} bonds"

    await scale.forget()
    await scale.step_on(82.30)
    told = await home.measured.until_logged(scale.address, "pair")
    assert await bonds(home) == 1, f"a bond was deleted; {told}"
    assert scale.records, "the scale keeps what nobody has confirmed"
    assert await home.weights() == [82.35]
