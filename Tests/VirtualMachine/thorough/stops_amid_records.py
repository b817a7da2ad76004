"""The daemon is stopped amid forty records, forty times: what is confirmed is kept, and all in the end."""

from bench import transfer
from bench.home import Home

LIMIT = transfer.LIMIT


async def run(home: Home) -> str:
    await home.measured.make_store("home")
    return await transfer.interrupted(home, home.measured.stop, home.measured.start)
