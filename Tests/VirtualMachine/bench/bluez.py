"""bluetoothd and the system bus in the guest."""

from .machine import Machine


class Bluetoothd:
    """bluetoothd, run by hand (a guest with systemd has its unit)."""

    def __init__(self, machine: Machine):
        self.machine = machine

    async def start(self) -> None:
        """Starts the bus, if it is not there, and bluetoothd; waits until it owns its name.

        Without its debug output, which takes longer than the work on an emulated processor; the HCI
        trace has what it does.
        """
        await self.machine.run("""
            [ -S /run/dbus/system_bus_socket ] || dbus-daemon --system --fork --nopidfile
            /usr/sbin/bluetoothd -n >>/run/bluetoothd.log 2>&1 &
            echo $! >/run/bluetoothd
            for wait in {1..100}; do
              busctl tree org.bluez 2>/dev/null | grep -q /org/bluez && exit 0
              sleep 0.1
            done
            exit 1
            """)

    async def stop(self, signal: str = "TERM") -> None:
        """Ends bluetoothd and waits until it is gone."""
        await self.machine.run(f"""
            [ -e /run/bluetoothd ] || exit 0
            kill -{signal} $(</run/bluetoothd)
            for wait in {{1..100}}; do [ -e /proc/$(</run/bluetoothd) ] || break; sleep 0.05; done
            rm /run/bluetoothd
            """)

    async def forget_everything(self) -> None:
        """Removes every bond and every cached device; only while bluetoothd is stopped."""
        await self.machine.run("rm -rf /var/lib/bluetooth/*")

    async def bonds(self) -> int:
        """How many devices it keeps a long-term key of."""
        return int(
            await self.machine.run(
                "grep -l LongTermKey /var/lib/bluetooth/*/*/info 2>/dev/null | wc -l; true"
            )
        )
