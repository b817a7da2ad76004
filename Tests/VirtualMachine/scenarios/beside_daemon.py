"""Beside the running daemon: commands use its store and its radio, and a second daemon is refused."""

import json

from bench.home import Home, eventually
from peripherals.strap import HeartRateStrap

LIMIT = 180


async def run(home: Home) -> None:
    strap = await home.place(HeartRateStrap(rate=2))
    await home.begin()
    await strap.wake()
    await eventually(lambda: strap.beats, "the first beat", 60)

    # A device with a link is known, and the hub keeps it.
    known = json.loads(
        await home.measured.command(f"identify {strap.address} --connect --json --seconds 10")
    )
    assert known["definition"] == "sig-heart-rate", known
    await home.measured.command("scan --seconds 5 --json")
    await home.measured.command("record /tmp/beside.jsonl --force --seconds 5")
    lines = [
        json.loads(line) for line in (await home.machine.run("cat /tmp/beside.jsonl")).splitlines()
    ]
    assert [line for line in lines if line.get("type") == "value"], lines[:5]
    assert "no bond" in await home.measured.command("forget 2>&1")

    refused = await home.measured.command(
        f"run --store {home.measured.store} --radio {home.mode} 2>&1", check=False
    )
    assert "Another daemon" in refused, refused

    assert strap.connections == 1, f"{strap.connections} links"
    await strap.take_off()
    await home.completed("pulse")
    assert await home.measured.alive()
