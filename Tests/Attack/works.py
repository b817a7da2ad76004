"""The commands that are attacked, and what has to hold after each."""

import random as randomness
import pathlib
import shutil
import time

import household
from program import Difference, first_difference

DEFINITIONS = pathlib.Path(__file__).parent.parent.parent / "Devices"
USED = ["xiaomi-mi-scale-2.yaml", "sig-heart-rate.yaml"]


class Work:
    """A command on a prepared store.

    `again` completes it after a fault; then the store has to be as after an undisturbed run.
    """

    def __init__(self, name, start, command, files=(), compare="export"):
        self.name, self.start, self.files, self.compare = name, start, files, compare
        self.command = command
        self.counts, self.wanted = {}, []
        self.seconds = 0

    @property
    def is_replay(self):
        return self.command[0] == "replay"


def replay(trace, *more):
    return ["replay", trace, "--store", "s.sqlite", "--devices", "devices", "--json", *more]


class Household:
    """A seed's plan, traces and stores, and the results of undisturbed runs."""

    def __init__(self, seed, program, folder):
        self.seed, self.program, self.folder = seed, program, folder
        folder.mkdir()
        self.add_devices(folder)
        random = randomness.Random(seed)
        events = household.trace(random)
        half = len(events) // 2
        header, events = events[0], events[1:]
        (folder / "plan.yaml").write_text(household.plan())
        (folder / "new.yaml").write_text(household.plan("Weigh in", "2026-11-18T00:00"))
        (folder / "all.jsonl").write_text(household.text([header] + events))
        (folder / "half.jsonl").write_text(household.text([header] + events[:half]))
        other = household.trace(random)
        (folder / "other.jsonl").write_text(household.text(other))

        self.stores = program.stores
        self.stores.put(folder, folder, None)
        program.must(folder, ["plan", "import", "plan.yaml", "--store", "s.sqlite"])
        self.keep("plan.sqlite")
        program.must(folder, replay("half.jsonl"))
        self.keep("half.sqlite")
        program.must(folder, replay("all.jsonl"))
        self.keep("all.sqlite")
        self.everything = program.export(folder)
        self.stores.remove(folder)
        self.stores.put(folder, folder, None)
        program.must(folder, replay("other.jsonl", "--plan", "plan.yaml"))
        program.must(folder, ["store", "export", "box.jsonl", "--store", "s.sqlite"])
        self.stores.remove(folder)
        self.works = [self.measured(work) for work in self.make_works(random)]

    def keep(self, name):
        self.stores.keep(self.folder, name)

    def make_works(self, random):
        kilograms = f"{random.gauss(82, 1):.1f}"
        day = random.randrange(15, 20)
        date = f"2026-11-{day + 1}"
        at = f"{date}T12:00"
        yield Work("replay", "plan.sqlite", replay("all.jsonl"), ["all.jsonl"])
        yield Work("resume", "half.sqlite", replay("all.jsonl"), ["all.jsonl"])
        yield Work(
            "stepwise", "plan.sqlite", replay("half.jsonl", "--speed", "1000000000"),
            ["half.jsonl"])
        yield Work(
            "new store", None, replay("half.jsonl", "--plan", "plan.yaml"),
            ["half.jsonl", "plan.yaml"])
        yield Work(
            "done", "half.sqlite",
            ["done", "pills", "--store", "s.sqlite", "--date", date, "--occurrence",
             str(3 * day), "--at", at, "--json"], compare="view")
        yield Work(
            "outcome set", "all.sqlite",
            ["outcome", "set", "--store", "s.sqlite", "--task", "weigh-in", "--occurrence",
             str(random.randrange(15, 20)), "--value", kilograms, "--unit", "kg", "--json"],
            compare="view")
        yield Work(
            "plan import", "all.sqlite",
            ["plan", "import", "new.yaml", "--store", "s.sqlite", "--json"], ["new.yaml"],
            compare="view")
        yield Work(
            "samples assign", "all.sqlite",
            ["samples", "assign", "--device", household.SCALE, "--from", date, "--patient", "mary",
             "--store", "s.sqlite", "--json"], compare="view")
        yield Work(
            "store import", "half.sqlite",
            ["store", "import", "box.jsonl", "--store", "s.sqlite", "--json"], ["box.jsonl"])
        yield Work(
            "store export", "all.sqlite", ["store", "export", "old.jsonl", "--store", "s.sqlite"],
            compare="exported")
        if self.stores.is_server:
            return
        yield Work(
            "store backup", "half.sqlite", ["store", "backup", "b.sqlite", "--store", "s.sqlite"],
            compare="copied")

    def measured(self, work):
        """Runs a work undisturbed, twice: the same again changes nothing."""
        folder = self.folder / "undisturbed"
        self.prepare(work, folder)
        start = time.monotonic()
        if self.stores.is_server:
            with self.stores.relay(folder) as relay:
                self.program.must(folder, work.command, way=relay.folder)
            work.counts = {"message": relay.count}
        else:
            counts = self.folder / "counts"
            self.program.must(folder, work.command, counts=counts)
            rows = (line.split() for line in counts.read_text().splitlines())
            work.counts = {kind: int(number) for kind, number in rows}
        work.seconds = time.monotonic() - start
        work.wanted = self.state(work, folder)
        self.program.must(folder, work.command)
        twice = self.state(work, folder)
        if twice != work.wanted:
            raise Difference(f"{work.name} twice: {first_difference(work.wanted, twice)}")
        self.stores.forget(folder)
        shutil.rmtree(folder)
        return work

    @staticmethod
    def add_devices(folder):
        (folder / "devices").mkdir()
        for name in USED:
            shutil.copy(DEFINITIONS / name, folder / "devices")

    def prepare(self, work, folder):
        folder.mkdir()
        if work.is_replay:
            self.add_devices(folder)
        self.stores.put(folder, self.folder, work.start)
        for file in work.files:
            shutil.copy(self.folder / file, folder / file)

    def state(self, work, folder):
        return getattr(self.program, work.compare)(folder)

    def verify(self, work, folder, victim, check=True):
        """Completes a disturbed work, and compares it with the undisturbed one.

        What the victim acknowledged has to be stored already.
        """
        if not victim.killed and victim.code not in (0, 1, 2, 3, 4):
            raise Difference(f"ended with {victim.code}: {victim.error.strip()[-400:]}")
        if not victim.killed and victim.code != 0 and not victim.error.strip():
            raise Difference(f"ended with {victim.code} and no word about it")
        if not work.is_replay and (victim.code == 0 or victim.output.endswith("\n")):
            self.compare(work, folder, "after it was acknowledged")
        again = self.program.must(folder, work.command)
        if work.is_replay:
            lost = acknowledged(victim) - known(again)
            if lost:
                raise Difference(f"{len(lost)} acknowledged samples lost, such as {min(lost)}")
        self.compare(work, folder, "after it was completed")
        if check:
            self.program.check(folder)
        left = sorted(
            file.name for file in folder.iterdir()
            if file.name.endswith((".new", "-journal")))
        if left:
            raise Difference(f"left behind: {left}")

    def compare(self, work, folder, when):
        found = self.state(work, folder)
        if found != work.wanted:
            raise Difference(f"{when}: {first_difference(work.wanted, found)}")


def sample_key(row):
    return (row["device"], row["quantity"], row["arrival"], row["value"])


def acknowledged(result):
    """The samples that a replay reported as stored."""
    rows = result.objects()
    return {sample_key(row) for row in rows if row["type"] in ("reading", "unassigned")}


def known(result):
    """The samples that a replay found in the store."""
    return {sample_key(row) for row in result.objects() if row["type"] == "duplicate"}
