"""A machine is broken in every way that doctor knows: it names each, and fails where nothing works."""

import asyncio
import json
from dataclasses import dataclass

from bench.home import Home
from bench.settings import VM_HOME
from bench.unit import STATE

SYSTEMD = True
MODES = ("bluetoothd",)
LIMIT = 900

STORE = f"{STATE}/measured.sqlite"
SETTINGS = "/etc/measured/measured.yaml"
RESTORED = f"rm -rf {STATE}/*; cp -a /run/healthy/. {STATE}"
# Another file system in the place of the store's, with these options; files are copied into it.
FILES = f"mount -t tmpfs -o mode=0700,%s small {STATE} && cp -a /run/healthy/. {STATE} && chown measured: {STATE}"
UNMOUNTED = f"umount {STATE}"
OVERRIDE = "mkdir -p /run/systemd/system/measured.service.d; printf '%s' >/run/systemd/system/measured.service.d/test.conf; systemctl daemon-reload"
WITHOUT_OVERRIDE = (
    "systemctl stop measured; rm /run/systemd/system/measured.service.d/test.conf;"
    " systemctl daemon-reload; systemctl reset-failed measured; true"
)

# Switches the controllers as another program of bluetoothd's does.
POWER = (
    "for path in $(busctl tree --list org.bluez | grep -x '/org/bluez/hci[0-9]*'); do"
    " busctl set-property org.bluez $path org.bluez.Adapter1 Powered b %s; done"
)


@dataclass
class Row:
    """One broken machine, how it is mended, and what doctor says of it."""

    machine: str
    breaks: str
    mends: str
    subject: str
    verdict: str
    words: str
    arguments: str = ""
    user: str = "measured"

    @property
    def status(self) -> int:
        """The exit status: nothing can be measured with a problem."""
        return 1 if self.verdict == "problem" else 0


def rfkill(soft: int) -> str:
    """Blocks Bluetooth by software, or lets it go: CHANGE_ALL for RFKILL_TYPE_BLUETOOTH."""
    return f"printf '\\0\\0\\0\\0\\2\\3\\{soft}\\0' >/dev/rfkill; sleep 1"


ROWS = [
    Row("healthy", "true", "true", "bluetoothd", "good", "it runs"),
    Row("rfkill soft", rfkill(1), rfkill(0), "controller", "problem", "software"),
    Row("bluetoothd masked", "systemctl mask --now bluetooth",
        "systemctl unmask bluetooth; systemctl start bluetooth",
        "permissions", "problem", "CAP_NET_ADMIN"),
    Row("kernel mode by its drop-in",
        "systemctl mask --now bluetooth; mkdir -p /run/systemd/system/measured.service.d;"
        " cp /usr/share/measured/kernel-mode.conf /run/systemd/system/measured.service.d/;"
        " systemctl daemon-reload",
        "rm /run/systemd/system/measured.service.d/kernel-mode.conf; systemctl unmask bluetooth;"
        " systemctl daemon-reload; systemctl start bluetooth",
        "permissions", "good", "the service may manage"),
    Row("bluetoothd masked and wanted", "systemctl mask --now bluetooth",
        "systemctl unmask bluetooth; systemctl start bluetooth",
        "bluetoothd", "problem", "masked", "--radio bluetoothd"),
    Row("bluetoothd stopped", "systemctl stop bluetooth", "systemctl start bluetooth",
        "bluetoothd", "problem", "does not run"),
    Row("bluetoothd hangs", "systemctl kill -s STOP bluetooth", "systemctl kill -s CONT bluetooth",
        "bluetoothd", "problem", "does not answer"),
    Row("the bus denies bluetoothd",
        "echo '<busconfig><policy user=\"measured\"><deny send_destination=\"org.bluez\"/></policy>"
        "</busconfig>' >/etc/dbus-1/system.d/zz-test.conf; systemctl reload dbus; sleep 1",
        "rm /etc/dbus-1/system.d/zz-test.conf; systemctl reload dbus; sleep 1",
        "bluetoothd", "problem", "refuses this user"),
    Row("no bus", "mv /run/dbus/system_bus_socket /run/dbus/away",
        "mv /run/dbus/away /run/dbus/system_bus_socket", "bluetoothd", "problem", "message bus"),
    Row("the store is root's", f"chown root: {STORE}*; chmod 600 {STORE}*", RESTORED,
        "store", "problem", "permission"),
    Row("the folder is root's", f"chown root: {STATE}", f"chown measured: {STATE}",
        "store", "problem", "may not"),
    Row("the store is read-only", f"chmod 400 {STORE}*", RESTORED, "store", "problem", "written"),
    Row("the store is no store", f"rm {STORE}*; head -c 20000 /dev/urandom >{STORE}; chown measured: {STORE}",
        RESTORED, "store", "problem", "SQLite"),
    Row("the store is cut short", f"truncate -s 8192 {STORE}; rm -f {STORE}-*", RESTORED,
        "store", "problem", "cut short"),
    Row("the store is damaged", f"rm -f {STORE}-*; dd if=/dev/urandom of={STORE} bs=4096 seek=3 count=12 conv=notrunc 2>/dev/null",
        RESTORED, "store", "problem", "damaged"),
    Row("the file system is read-only", FILES % "size=200m" + f"; mount -o remount,ro {STATE}",
        UNMOUNTED, "disk", "problem", "can only be read"),
    Row("little space is left", FILES % "size=50m", UNMOUNTED, "disk", "problem", "MiB are free"),
    Row("the disk is full",
        FILES % "size=50m" + f"; dd if=/dev/zero of={STATE}/fill bs=4k 2>/dev/null; ls {STATE} >/run/before; true",
        f"ls {STATE} >/run/after; umount {STATE}; cmp /run/before /run/after",
        "disk", "problem", "0 MiB are free"),
    Row("no inode is left",
        FILES % "size=200m,nr_inodes=40" + f"; for n in {{1..60}}; do : >{STATE}/$n; done 2>/dev/null; true",
        UNMOUNTED, "disk", "problem", "no further file"),
    Row("the plan is root's",
        f"install -m 600 {VM_HOME}/plans/home.yaml /etc/measured/plan.yaml; echo 'plan: /etc/measured/plan.yaml' >{SETTINGS}",
        f"rm /etc/measured/plan.yaml {SETTINGS}", "plan", "warning", "plan.yaml"),
    Row("the plan is broken",
        f"echo 'patients: [' >/etc/measured/plan.yaml; echo 'plan: /etc/measured/plan.yaml' >{SETTINGS}",
        f"rm /etc/measured/plan.yaml {SETTINGS}", "plan", "warning", "plan.yaml:"),
    Row("the settings are broken", f"echo 'radoi: kernel' >{SETTINGS}", f"rm {SETTINGS}",
        "settings", "warning", "radoi"),
    Row("the settings name another store", f"echo 'store: {STATE}/other' >{SETTINGS}",
        f"rm {SETTINGS}", "store", "warning", f"{STATE}/other", user="root"),
    Row("the settings choose the kernel", f"echo 'radio: kernel' >{SETTINGS}", f"rm {SETTINGS}",
        "bluetoothd", "problem", "kernel mode is set"),
    Row("a definition is broken", "echo 'id: [' >/etc/measured/devices.d/bad.yaml",
        "rm /etc/measured/devices.d/bad.yaml", "definitions", "warning", "bad.yaml:"),
    Row("the clock shows 1970", "date +%s >/run/now; date -s @100000", "date -s @$(</run/now)",
        "clock", "problem", "before this program"),
    Row("the clock is a year ahead", "date +%s >/run/now; date -s @$(($(</run/now) + 31536000))",
        "date -s @$(</run/now)", "clock", "warning", "long after"),
    Row("no time zones", "mkdir -p /run/empty; mount --bind /run/empty /usr/share/zoneinfo",
        "umount /usr/share/zoneinfo", "time zones", "good", "known"),
    Row("the service does not run", "systemctl stop measured", "true",
        "service", "warning", "does not run"),
    Row("the service has failed",
        OVERRIDE % "[Service]\\nExecStart=\\nExecStart=/bin/false\\nRestart=no\\n"
        + "; systemctl start measured; true",
        WITHOUT_OVERRIDE, "service", "problem", "failed"),
    Row("the service starts again and again",
        OVERRIDE % "[Service]\\nType=simple\\nExecStart=\\nExecStart=/bin/false\\nRestartSec=30\\n"
        + "; systemctl start measured; sleep 2; true",
        WITHOUT_OVERRIDE, "service", "problem", "again and again"),
    Row("the service is masked", "systemctl mask measured", "systemctl unmask measured",
        "service", "problem", "is masked"),
    Row("the service's drop-in has a mistake", OVERRIDE % "[Service]\\nExecStart=\\n",
        WITHOUT_OVERRIDE, "service", "problem", "cannot be loaded"),
    Row("another store is hidden", "systemctl start measured", "systemctl stop measured",
        "store", "problem", "may not look", "--store /root/care.sqlite", user="nobody"),
    Row("the only controller is switched off",
        "systemctl start measured; sleep 2; " + POWER % "false" + "; sleep 4",
        "systemctl stop measured; " + POWER % "true" + "; sleep 1",
        "service", "problem", "it measures nothing"),
    Row("kernel mode by its drop-in beside a stopped bluetoothd",
        "systemctl stop bluetooth; mkdir -p /run/systemd/system/measured.service.d;"
        " cp /usr/share/measured/kernel-mode.conf /run/systemd/system/measured.service.d/;"
        " systemctl daemon-reload; systemctl start measured; sleep 2",
        "systemctl stop measured; rm /run/systemd/system/measured.service.d/kernel-mode.conf;"
        " systemctl daemon-reload; systemctl start bluetooth",
        "bluetoothd", "good", "through the kernel"),
]  # fmt: skip


async def run(home: Home) -> None:
    await home.begin()
    # Reading a hundred definitions takes most of doctor's time, and is not what is tested.
    await home.machine.run(
        "mkdir -p /run/shipped; mv /usr/share/measured/devices/[!s]* /run/shipped"
    )
    wrong = await _check(home, Row("running", "true", "true", "service", "good", "runs"))
    await home.measured.stop()
    await home.machine.run(f"""
        mkdir -p /run/healthy; cp -a {STATE}/. /run/healthy; mv {SETTINGS} /run/settings.yaml
        """)
    try:
        await home.controllers.unplug(0)
        row = Row("no controller", "true", "true", "controller", "problem", "there is none")
        wrong += await _check(home, row)
        await home.controllers.plug(0)
        await asyncio.sleep(2)
        for row in ROWS:
            wrong += await _check(home, row)
    finally:
        await home.machine.run(
            f"mv /run/settings.yaml {SETTINGS}; rm -rf /run/healthy;"
            " mv /run/shipped/* /usr/share/measured/devices"
        )
    assert not wrong, " | ".join(wrong)


async def _check(home: Home, row: Row) -> list[str]:
    """What is wrong with doctor's words about one machine."""
    await home.machine.run(row.breaks)
    try:
        text = await home.machine.run(
            f"runuser -u {row.user} -- /usr/bin/measured doctor --json {row.arguments}"
            " 2>/run/doctor.err; echo $?; cat /run/doctor.err"
        )
    finally:
        await home.machine.run(row.mends)
    (home.folder / "doctor.log").open("a").write(f"== {row.machine}\n{text}")
    lines = text.splitlines()
    findings = [json.loads(line) for line in lines if line.startswith("{")]
    status = next(int(line) for line in lines if line.isdigit())
    about = [finding for finding in findings if finding["subject"] == row.subject]
    wrong = []
    if not any(
        finding["verdict"] == row.verdict
        and row.words in f"{finding['finding']} {finding['advice']}"
        for finding in about
    ):
        wrong.append(f"{row.machine}: {about}")
    if status != row.status:
        problems = [finding for finding in findings if finding["verdict"] == "problem"]
        wrong.append(f"{row.machine}: exit status {status}, {problems}")
    return wrong
