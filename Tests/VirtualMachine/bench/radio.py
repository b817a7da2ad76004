"""The guest's controllers: what the emulated kernel drives, and their plugs."""

import socket

from bumble.transport import open_transport

from .link import Air, AirController
from .machine import Machine
from .settings import VM_WORK

# Controllers, not links (hci0:1).
COUNT = "count() { ls /sys/class/bluetooth | grep -c '^hci[0-9]*$'; }"


class Controllers:
    """The controllers of one guest, all on the same air."""

    def __init__(self, air: Air, machine: Machine, company: str = "00:1B:DC:00:00"):
        self.air = air
        self.machine = machine
        self.company = company  # how their addresses begin
        self.all: list[AirController] = []
        self.plugged: set[int] = set()
        self._transports = []

    async def attach(self) -> None:
        """Connects Bumble's controllers to the guest's serial ports. Nothing is plugged in yet."""
        for index in range(self.machine.controllers):
            transport = await open_transport(f"unix:{self.machine.socket(f'hci{index}')}")
            self._transports.append(transport)
            # The air has no memory: what the guest does not take soon must not pile up before it.
            stream = transport.sink.transport
            stream.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            controller = AirController(
                f"guest {index}",
                host_source=transport.source,
                host_sink=transport.sink,
                link=self.air,
                public_address=f"{self.company}:{index + 1:02X}",
            )
            self.all.append(controller)

    async def detach(self) -> None:
        """Takes the controllers off the air, when the guest is gone."""
        for controller in self.all:
            controller.drop_links()
            self.air.remove_controller(controller)
        for transport in self._transports:
            await transport.close()
        self.all.clear()
        self.plugged.clear()
        self._transports.clear()

    def backlog(self, index: int = 0) -> int:
        """How many bytes wait for the guest to take them."""
        return self._transports[index].sink.transport.get_write_buffer_size()

    async def plug(self, index: int = 0) -> None:
        """Plugs a controller in and waits until the kernel has it.

        It is not always the hciN of before: a number is free again once its old owner is released.
        """
        await self.machine.run(f"""
            {COUNT}
            before=$(count)
            if [ -e /run/relay{index} ]; then
              kill -USR2 $(</run/relay{index})
            else
              {VM_WORK}/bin/vhcirelay $(port hci{index}) >/out/relay{index}.log 2>&1 &
              echo $! >/run/relay{index}
            fi
            for wait in {{1..200}}; do
              [ $(count) = $before ] || exit 0
              sleep 0.05
            done
            echo "The kernel does not see the controller."
            exit 1
            """)
        self.plugged.add(index)

    async def unplug(self, index: int = 0) -> None:
        """Pulls a controller; its peers see a supervision time-out."""
        if index not in self.plugged:
            return
        await self.machine.run(f"""
            {COUNT}
            before=$(count)
            kill -USR1 $(</run/relay{index})
            for wait in {{1..200}}; do
              [ $(count) = $before ] || exit 0
              sleep 0.05
            done
            echo "The kernel does not let the controller go."
            exit 1
            """)
        self.plugged.discard(index)
        self.all[index].drop_links()
