"""A guest: QEMU with the host's files, an emulated processor, and serial ports for the radio."""

import asyncio
import re
import shlex
import subprocess
from pathlib import Path

from . import pace
from .settings import VM_HOME, VM_ROOT, VM_WORK


class GuestError(Exception):
    """A request to the guest that failed; says what was asked and what came of it."""


class Machine:
    """One guest. `folder` is its /out; what it leaves there survives a reboot."""

    def __init__(self, folder: Path, controllers: int = 1, systemd: bool = False):
        self.folder = folder
        self.controllers = controllers
        self.systemd = systemd
        self._requests = 0
        self._answers: dict[int, asyncio.Future[int]] = {}

    async def boot(self) -> None:
        """Starts the guest and waits for its agent."""
        (self.folder / "run").mkdir(parents=True, exist_ok=True)
        self._ready = asyncio.get_running_loop().create_future()
        with (self.folder / "console.log").open("ab") as console:
            self._qemu = await asyncio.create_subprocess_exec(
                *self._command(), stdin=asyncio.subprocess.DEVNULL, stdout=console, stderr=console
            )
        await self._until_exists(self.socket("control"))
        # QEMU makes the sockets one after the other and listens at once.
        for index in range(self.controllers):
            await self._until_exists(self.socket(f"hci{index}"))
        reader, self._control = await asyncio.open_unix_connection(self.socket("control"))
        self._listener = asyncio.create_task(self._listen(reader))
        await asyncio.wait_for(self._ready, 90 * pace.GREATEST)

    def socket(self, port: str) -> str:
        """The host's end of a serial port."""
        return str(self.folder / f"{port}.sock")

    async def _until_exists(self, path: str) -> None:
        for _ in range(200):
            if Path(path).exists():
                return
            if self._qemu.returncode is not None:
                break
            await asyncio.sleep(0.05)
        raise GuestError(f"QEMU did not start; see {self.folder}/console.log")

    def _command(self) -> list[str]:
        ports = ["control"] + [f"hci{index}" for index in range(self.controllers)]
        arguments = shlex.split(
            "qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 1 -m 768"
            # Nested virtualisation may be offered and still not boot: the processor is emulated.
            " -M q35,usb=off,vmport=off -vga none -net none -nodefaults -no-user-config"
            " -display none -no-reboot -serial stdio -monitor none"
            " -device virtio-9p-pci,fsdev=host,mount_tag=host"
            f" -fsdev local,id=host,path={VM_ROOT},security_model=none,readonly=on,multidevs=remap"
            " -device virtio-9p-pci,fsdev=out,mount_tag=out"
            " -device virtio-serial-pci"
        )
        arguments += ["-fsdev", f"local,id=out,path={self.folder},security_model=none"]
        for port in ports:
            Path(self.socket(port)).unlink(missing_ok=True)
            arguments += [
                "-chardev",
                f"socket,id={port},path={self.socket(port)},server=on,wait=off",
            ]
            arguments += ["-device", f"virtserialport,chardev={port},name={port}"]
        kernel = (
            "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on tsc=reliable"
            f" tsc_early_khz={_counter_frequency()}"
            f" no_timer_check nowatchdog audit=0 agent={VM_HOME}/guest/agent.sh"
        )
        if self.systemd:
            kernel += " with-systemd"
        # In another release's root, what is under test and this folder are mounted at their places.
        shares = [] if VM_ROOT == "/" else [VM_WORK, VM_HOME, *_toolchain()]
        for number, share in enumerate(shares):
            arguments += [
                "-fsdev",
                f"local,id=share{number},path={share},security_model=none,readonly=on,multidevs=remap",
                "-device",
                f"virtio-9p-pci,fsdev=share{number},mount_tag=share{number}",
            ]
            kernel += f" share{number}={share}"
        image = VM_WORK / "image"
        return arguments + [
            "-kernel", str(image / "vmlinux"), "-initrd", str(image / "initrd.gz"),
            "-append", kernel,
        ]  # fmt: skip

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            words = line.decode(errors="replace").split()
            if words == ["ready"]:
                self._ready.set_result(None)
            elif len(words) == 2 and (answer := self._answers.pop(int(words[0]), None)):
                if not answer.done():
                    answer.set_result(int(words[1]))
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(GuestError("The guest is gone."))

    async def run(self, script: str, timeout: float = 60, check: bool = True) -> str:
        """Runs shell commands as root; gives what they printed.

        Throws GuestError when they fail (unless `check` is false) or take longer than `timeout`,
        which is meant for an idle host.
        """
        self._requests += 1
        number = self._requests
        (self.folder / f"run/{number}.sh").write_text(script + "\n")
        answer = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._control.write(f"{number}\n".encode())
        log = self.folder / f"run/{number}.log"
        try:
            status = await asyncio.wait_for(answer, pace.limit(timeout))
        except TimeoutError:
            raise GuestError(f"Not done after {timeout} s: {script}\n{_text(log)}") from None
        if check and status != 0:
            raise GuestError(f"Exit status {status}: {script}\n{_text(log)}")
        return _text(log)

    async def halt(self) -> None:
        """Ends the guest, as pulling the mains plug does."""
        if self._qemu.returncode is None:
            self._qemu.kill()
            await self._qemu.wait()
        self._listener.cancel()
        self._control.close()


def _counter_frequency() -> int:
    """The frequency of the host's time-stamp counter, which the guest reads as well, in kHz."""
    return int(subprocess.check_output([VM_WORK / "bin" / "tsckhz"]))


def _toolchain() -> list[str]:
    """The folders of libraries that no package has: a debug build uses the toolchain's."""
    libraries = subprocess.check_output(["ldd", VM_WORK / "stage/usr/bin/measured"], text=True)
    folders = {str(Path(path).parent) for path in re.findall(r"=> (/\S+)", libraries)}
    return sorted(folder for folder in folders if not re.match("(/usr)?/lib", folder))


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
