"""Under measured.service: a standard scale measures, the task is completed, the sandbox is tight."""

from bench.home import Home, within
from peripherals.scale import WeightScale

SYSTEMD = True
# What systemd-analyze may find, in tenths.
EXPOSURE = {"bluetoothd": 15, "kernel": 18}


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    await home.begin()
    await scale.step_on(82.35)
    await within(scale.empty, "the record is confirmed")
    await home.completed("weigh-in")

    owner = await home.machine.run("ps -o user= -p $(</run/measured.pid)")
    assert owner.strip() == "measured", owner
    found = await home.machine.run(
        "systemd-analyze verify measured.service 2>&1 | grep measured || true"
    )
    assert not found, found
    await home.machine.run(
        f"systemd-analyze security --no-pager --threshold={EXPOSURE[home.mode]} measured.service"
        " | tail -1; exit ${PIPESTATUS[0]}"
    )
    await home.machine.run("systemctl reload measured && sleep 1 && systemctl is-active measured")
