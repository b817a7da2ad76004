"""Settings, plan and a definition have mistakes: the daemon starts, measures, and keeps its links."""

from bench.home import Home, eventually, within
from peripherals.scale import WeightScale
from peripherals.strap import HeartRateStrap

LIMIT = 180


async def run(home: Home) -> None:
    scale = await home.place(WeightScale())
    strap = await home.place(HeartRateStrap())
    await home.measured.make_store("home")
    await home.machine.run("""
        echo 'patients: [' >/run/plan.yaml
        printf 'plan: /run/plan.yaml\\nradoi: kernel\\n' >/etc/measured/measured.yaml
        echo 'id: [' >/etc/measured/devices.d/broken.yaml
        """)
    try:
        await home.measured.start()
        await strap.wake()
        await scale.step_on(82.35)
        await within(scale.empty, "the record is confirmed")
        for words in (("error", "radoi"), ("error", "plan.yaml:"), ("error", "broken.yaml")):
            await home.measured.until_logged(*words, seconds=10)
        await eventually(lambda: strap.beats, "beats", 60)
        links = strap.connections
        await home.machine.run("rm /etc/measured/devices.d/broken.yaml")
        await home.measured.signal("HUP")
        await home.measured.until_logged("previous configuration stays", seconds=20)
        count = len(strap.beats)
        await eventually(lambda: len(strap.beats) > count + 3, "beats after the reload", 20)
        assert strap.connections == links, "the refused reload took the link down"
        doctor = await home.measured.command("doctor", check=False)
        for word in ("radoi", "plan.yaml:"):
            assert word in doctor, f"doctor does not say {word}: {doctor}"
    finally:
        await home.machine.run("rm -f /etc/measured/measured.yaml /run/plan.yaml")
    await home.completed("weigh-in")
