"""Stores on a PostgreSQL of the attack's own, and what disturbs them: Tests/PostgreSQL/with-server runs it."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

from program import Difference


class Server:
    """Stores that are databases of a server, each with the name of a run's folder."""

    is_server = True

    def __init__(self, root):
        self.root = root
        self.folder = pathlib.Path(os.environ["MEASURED_POSTGRESQL_FOLDER"])
        self.control = os.environ["MEASURED_POSTGRESQL_CONTROL"].split()

    def name(self, folder, store="s.sqlite"):
        name = str(folder.relative_to(self.root)).replace("/", "_").replace("-", "_")
        return name if store == "s.sqlite" else name + "_" + store.removesuffix(".sqlite")

    def run(self, *statements):
        command = ["psql", "-qAtX", "-h", self.folder, "-U", "measured", "-v", "ON_ERROR_STOP=1"]
        for statement in statements:
            command += ["-c", statement]
        # The connection of a program that has just ended may still be there.
        for attempt in range(40):
            done = subprocess.run([*command, "measured"], text=True, capture_output=True)
            if done.returncode == 0:
                return done.stdout
            self.start()
            time.sleep(0.05 * attempt)
        raise Difference(f"{statements[0]}: {done.stderr}")

    def copy(self, template, name):
        source = f" TEMPLATE {template}" if template else ""
        self.run(
            f"DROP DATABASE IF EXISTS {name} WITH (FORCE)",
            f"CREATE DATABASE {name} STRATEGY FILE_COPY{source}")

    def keep(self, folder, name):
        self.copy(self.name(folder), self.name(folder, name))

    def put(self, folder, home, name):
        """Gives a run a copy of a household's store; without a name, a database without a store."""
        self.copy(self.name(home, name) if name else None, self.name(folder))

    def remove(self, folder):
        self.run(f"DROP DATABASE IF EXISTS {self.name(folder)} WITH (FORCE)")

    def forget(self, folder):
        name = self.name(folder)
        found = self.run(
            f"SELECT datname FROM pg_database WHERE datname = '{name}' OR datname LIKE '{name}\\_%'")
        for database in found.split():
            self.run(f"DROP DATABASE {database} WITH (FORCE)")

    def resolved(self, folder, arguments, way):
        """A command's arguments with addresses in place of files."""
        return [
            f"postgresql://measured@/{self.name(folder, one)}?host={way or self.folder}"
            if one.endswith(".sqlite") else one for one in arguments]

    def relay(self, folder, **disturbance):
        return Relay(folder, self.folder / ".s.PGSQL.5432", **disturbance)

    # --- The server's life ---

    def restart(self):
        """Ends the server as a kill does, and starts it again."""
        subprocess.run(
            [*self.control, "restart", "-m", "immediate"], check=True, stdout=subprocess.DEVNULL)

    def kill_process(self, random):
        """Kills one of the server's processes: it ends all others, and recovers."""
        own = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        found = subprocess.run(["pgrep", "-P", str(own)], text=True, capture_output=True).stdout
        children = [int(line) for line in found.split()]
        if children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(children), signal.SIGKILL)

    def start(self):
        """Starts the server if it has ended."""
        if subprocess.run([*self.control, "status"], stdout=subprocess.DEVNULL).returncode:
            subprocess.run([*self.control, "start"], stdout=subprocess.DEVNULL)

    # --- Its disk ---

    @property
    def has_own_disk(self):
        return os.path.ismount(self.folder)

    def fill_disk(self, free):
        """Leaves so many bytes on the server's disk."""
        status = os.statvfs(self.folder)
        with open(self.folder / "filler", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, status.f_bavail * status.f_frsize - free))

    def empty_disk(self):
        (self.folder / "filler").unlink(missing_ok=True)
        self.start()


class Relay:
    """A way to the server. At the n-th message of the program it calls `strike`, before or after the
    server has it; the answer to it is lost if `is_answer_lost`."""

    def __init__(self, folder, target, at=0, strike=None, is_first=True, is_answer_lost=False):
        # The path of a socket is short.
        self.folder = pathlib.Path("/tmp") / f"attack-{os.getpid()}-{folder.name}"
        self.target, self.at, self.strike = target, at, strike
        self.is_first, self.is_answer_lost = is_first, is_answer_lost
        self.count, self.has_struck, self.is_muted = 0, False, False
        self.lock, self.links, self.listener = threading.Lock(), [], None

    def __enter__(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.open()
        return self

    def __exit__(self, *_):
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self):
        path = self.folder / ".s.PGSQL.5432"
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(path))
            listener.listen(64)
            self.listener = listener
            threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def close(self):
        """Cuts every line, and takes no new one."""
        with contextlib.suppress(OSError):
            (self.folder / ".s.PGSQL.5432").unlink(missing_ok=True)
        for link in [self.listener, *self.links]:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
            link.close()
        self.links = []

    def cut(self, outage):
        """Cuts every line for some seconds."""
        self.close()
        self.is_muted = False
        timer = threading.Timer(outage, self.open)
        timer.daemon = True
        timer.start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(str(self.target))
                except OSError:
                    client.close()
                    continue
                self.links += [client, server]
                for work in [(self.pass_requests, client, server), (self.pass_answers, server, client)]:
                    threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    def pass_answers(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if not self.is_muted:
                    target.sendall(data)
        hang_up(source, target)

    def pass_requests(self, source, target):
        data, is_started = b"", False
        with contextlib.suppress(OSError):
            while more := source.recv(1 << 16):
                data += more
                while True:
                    # The first message has no type.
                    head = 1 if is_started else 0
                    if len(data) < head + 4:
                        break
                    size = head + struct.unpack_from(">I", data, head)[0]
                    if len(data) < size:
                        break
                    message, data = data[:size], data[size:]
                    # A simple statement, or the end of a prepared one: the server answers.
                    self.take(message, is_started and message[:1] in b"QS", target)
                    is_started = True
        hang_up(source, target)

    def take(self, message, is_counted, target):
        with self.lock:
            if is_counted:
                self.count += 1
            is_now = is_counted and self.strike and not self.has_struck and self.count == self.at
            if is_now:
                self.has_struck = True
        if is_now and self.is_first:
            self.strike(self)
            # On a line that was cut this fails, and the message is lost.
            target.sendall(message)
        elif is_now:
            self.is_muted = self.is_answer_lost
            target.sendall(message)
            time.sleep(0.2)
            self.strike(self)
            self.is_muted = False
        else:
            target.sendall(message)


def hang_up(*links):
    for link in links:
        with contextlib.suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)
        link.close()


# --- One run of each kind ---


def kill_by_clock(home, random, folder):
    work = random.choice(home.works)
    home.prepare(work, folder)
    victim = home.program.run(
        folder, work.command, kill_after=random.uniform(0.02, 1.1 * work.seconds))
    home.verify(work, folder, victim, check=random.random() < 0.3)
    return work.name


def strike(home, random, folder, act, is_killed=False):
    """Runs a work, and acts at one of its messages."""
    work = random.choice(home.works)
    home.prepare(work, folder)
    is_first = random.random() < 0.4
    victim = []
    with home.stores.relay(
        folder, at=random.randrange(1, work.counts["message"] + 1),
        strike=lambda relay: act(relay, victim), is_first=is_first,
        is_answer_lost=random.random() < 0.7,
    ) as relay:
        result = home.program.run(folder, work.command, way=relay.folder, started=victim.append)
    home.stores.start()
    home.verify(work, folder, result, check=random.random() < 0.3)
    return f"{work.name} {'before' if is_first else 'after'}"


def kill_at_message(home, random, folder):
    def act(relay, victim):
        victim[0].kill()

    return strike(home, random, folder, act)


def cut_line(home, random, folder):
    # After ten seconds the program has given up.
    outage = random.choice([0, 0, 0.3, 1, 3, 12])

    def act(relay, _):
        relay.cut(outage)

    return f"{strike(home, random, folder, act).split()[-1]} {outage} s"


def killed_server(home, random, folder):
    """The server is started again at once, or one of its processes is killed; sometimes twice."""
    case = random.choice(["restart", "restart twice", "process"])

    def act(relay, _):
        if case == "process":
            return home.stores.kill_process(random)
        home.stores.restart()
        if case == "restart twice":
            timer = threading.Timer(random.uniform(0, 0.3), home.stores.restart)
            timer.start()
            timer.join()

    return f"{case} {strike(home, random, folder, act).split()[-1]}"


def full_disk(home, random, folder):
    if not home.stores.has_own_disk:
        return "not tried: no right to mount"
    work = random.choice(home.works)
    home.prepare(work, folder)
    free = random.choice([0, 0, 8_192, 65_536, 400_000, 1_500_000])
    home.stores.fill_disk(free)
    try:
        victim = home.program.run(folder, work.command)
    finally:
        home.stores.empty_disk()
    home.verify(work, folder, victim, check=random.random() < 0.3)
    return f"{free} bytes left" + (", refused" if victim.code else "")
