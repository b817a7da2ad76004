"""The daemon reloads other definitions amid forty records, forty times: nothing is lost."""

import asyncio

from bench import transfer
from bench.home import Home
from bench.settings import VM_HOME

LIMIT = transfer.LIMIT
# A definition that is there at every other reload: what has not changed would not end a link.
DEFINITION = "sig-glucose.yaml"


async def run(home: Home) -> str:
    await home.measured.make_store("home")

    async def reload() -> None:
        await home.machine.run(f"""
            file=/etc/measured/devices.d/{DEFINITION}
            if [ -e $file ]; then rm $file; else cp {VM_HOME}/devices/{DEFINITION} $file; fi
            """)
        await home.measured.signal("HUP")
        await asyncio.sleep(1)

    async def go_on() -> None:
        pass

    return await transfer.interrupted(home, reload, go_on)
