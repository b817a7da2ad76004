"""Under measured.service: `systemctl restart` amid forty records, forty times: nothing is lost."""

from bench import transfer
from bench.home import Home

SYSTEMD = True
LIMIT = transfer.LIMIT


async def run(home: Home) -> str:
    await home.measured.make_store("home")

    async def go_on() -> None:
        pass

    return await transfer.interrupted(home, home.measured.restart, go_on)
