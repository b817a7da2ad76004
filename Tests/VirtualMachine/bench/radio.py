"""The guest's controllers: what the emulated kernel drives, and their plugs."""

from bumble.transport import open_transport

from .link import Air, AirController
from .machine import Machine
from .settings import VM_WORK


class Controllers:
    """The controllers of one guest, all on the same air."""

    def __init__(self, air: Air, machine: Machine):
        self.air = air
        self.machine = machine
        self.all: list[AirController] = []
        self._transports = []

    async def attach(self) -> None:
        """Connects Bumble's controllers to the guest's serial ports. Nothing is plugged in yet."""
        for index in range(self.machine.controllers):
            transport = await open_transport(f"unix:{self.machine.socket(f'hci{index}')}")
            self._transports.append(transport)
            controller = AirController(
                f"guest {index}",
                host_source=transport.source,
                host_sink=transport.sink,
                link=self.air,
                public_address=f"00:1B:DC:00:00:{index + 1:02X}",
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
        self._transports.clear()

    async def plug(self, index: int = 0) -> None:
        """Plugs a controller in and waits until the kernel has it."""
        await self.machine.run(
            f"""
            if [ -e /run/relay{index} ]; then
              kill -USR2 $(</run/relay{index})
            else
              {VM_WORK}/bin/vhcirelay $(port hci{index}) >/out/relay{index}.log 2>&1 &
              echo $! >/run/relay{index}
            fi
            for wait in {{1..100}}; do
              [ ! -e /sys/class/bluetooth/hci{index} ] || exit 0
              sleep 0.05
            done
            exit 1
            """
        )

    async def unplug(self, index: int = 0) -> None:
        """Pulls a controller; its peers see a supervision time-out."""
        await self.machine.run(
            f"""
            [ -e /run/relay{index} ] || exit 0
            kill -USR1 $(</run/relay{index})
            for wait in {{1..100}}; do
              [ -e /sys/class/bluetooth/hci{index} ] || exit 0
              sleep 0.05
            done
            exit 1
            """
        )
        self.all[index].drop_links()
