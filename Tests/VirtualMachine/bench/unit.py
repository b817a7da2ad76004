"""The daemon as systemd runs it: the unit, its user and its sandbox, from a staged install."""

from .machine import Machine
from .measured import Measured
from .settings import VM_HOME, VM_WORK

STATE = "/var/lib/measured"


class Unit(Measured):
    """measured.service, in a guest with systemd as its first process."""

    store = f"{STATE}/measured.sqlite"
    program = "runuser -u measured -- /usr/bin/measured"

    def __init__(self, machine: Machine, mode: str):
        super().__init__(machine, mode)
        self.installed = False

    async def install(self) -> None:
        """Does what a package's installation does; in kernel mode with the drop-in."""
        await self.machine.run(
            f"""
            set -e
            cp -a {VM_WORK}/stage/. /
            systemctl daemon-reload
            systemd-sysusers
            systemd-tmpfiles --create measured.conf
            systemctl start dbus
            if [ {self.mode} = kernel ]; then
              systemctl mask --now bluetooth
              mkdir -p /etc/systemd/system/measured.service.d
              cp /usr/share/measured/kernel-mode.conf /etc/systemd/system/measured.service.d/
              systemctl daemon-reload
            fi
            """,
            timeout=120,
        )
        self.installed = True

    async def make_store(self, plan: str, definitions: tuple[str, ...] = ()) -> None:
        if not self.installed:
            await self.install()
        copies = " ".join(f"{VM_HOME}/devices/{name}.yaml" for name in definitions)
        await self.machine.run(f"""
            systemctl stop measured
            rm -rf {STATE}/* /etc/measured/devices.d/*
            for file in {copies}; do cp "$file" /etc/measured/devices.d/; done
            cp {VM_HOME}/plans/{plan}.yaml /run/plan.yaml
            chmod 644 /run/plan.yaml
            {self.program} plan import /run/plan.yaml --store {self.store}
            """)

    async def start(self, radio: str | None = None) -> None:
        self.running = True
        # It returns when the daemon says that it is ready.
        await self.machine.run("systemctl start measured", timeout=90)
        await self._note_process()

    async def _note_process(self) -> None:
        await self.machine.run("systemctl show -p MainPID --value measured >/run/measured.pid")

    async def stop(self) -> None:
        if self.running:
            self.running = False
            await self.machine.run("systemctl stop measured && ! systemctl is-failed measured")

    async def restart(self) -> None:
        """Restarts the unit."""
        await self.machine.run("systemctl restart measured", timeout=90)
        await self._note_process()

    async def kill(self) -> None:
        self.running = False
        await self.machine.run("systemctl kill -s KILL measured; systemctl stop measured")

    async def crash(self) -> None:
        """Kills the process; systemd starts it again."""
        await self.machine.run("""
            before=$(</run/measured.pid)
            kill -KILL $before
            for wait in {1..300}; do
              now=$(systemctl show -p MainPID --value measured)
              [ $now != 0 ] && [ $now != $before ] && systemctl -q is-active measured && exit 0
              sleep 0.1
            done
            exit 1
            """)
        await self._note_process()

    async def fetch_log(self) -> None:
        await self.machine.run(
            "journalctl -u measured --no-pager -o cat >/out/measured.log || true"
        )
