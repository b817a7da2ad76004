"""The permanent attack: kills, faults, damage, rivals and wrong clocks.

    attack.py PROGRAM SHIM [--engine postgresql] [--seed N] [--runs N] [--seconds N] [--jobs N] [--only RUN] [--fuzz N]

Needs no privileges and no network. Every run follows from the seed and its number, except the exact
moment of a kill by the clock. Ends with code 1 if a run found a difference, and names the run.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import os
import pathlib
import random as randomness
import shutil
import sys
import tempfile
import threading
import time

import fuzz
import household
import server
from program import NOW, Difference, Program, first_difference
from works import Household, replay

RUNS_OF_A_HOUSEHOLD = 250
PROGRESS = 1_000
DAY = 86_400
DISK_FULL, IO_ERROR, TOO_MANY_FILES, READ_ONLY = 28, 5, 24, 30


# --- One run of each kind ---


def kill_by_clock(home, random, folder):
    work = random.choice(home.works)
    home.prepare(work, folder)
    victim = home.program.run(
        folder, work.command, kill_after=random.uniform(0.01, 0.15))
    home.verify(work, folder, victim, check=random.random() < 0.3)
    return work.name


def call_of(work, random, kinds):
    """One of the calls that a work makes."""
    count = sum(work.counts[kind] for kind in kinds)
    return random.randrange(1, count + 1) if count else None


def kill_at_call(home, random, folder):
    work = random.choice(home.works)
    kinds = ["write", "sync", "open", "truncate", "name"]
    if random.random() < 0.3:
        kinds = [random.choice(["sync", "name"])]
    home.prepare(work, folder)
    victim = home.program.run(
        folder, work.command, calls=",".join(kinds), at=call_of(work, random, kinds),
        do=random.choice(["kill", "torn"]))
    home.verify(work, folder, victim, check=random.random() < 0.3)
    return work.name


def failing_call(home, random, folder):
    work = random.choice(home.works)
    kind, code = random.choice([
        ("write", DISK_FULL), ("write", IO_ERROR), ("sync", IO_ERROR), ("open", TOO_MANY_FILES),
        ("open", READ_ONLY), ("truncate", IO_ERROR), ("name", IO_ERROR), ("name", DISK_FULL)])
    at = call_of(work, random, [kind])
    home.prepare(work, folder)
    victim = home.program.run(
        folder, work.command, calls=kind, at=at or 1, errno=code,
        do=random.choice(["error", "short"]) if kind == "write" else "error",
        sticky=random.choice([0, 1]))
    home.verify(work, folder, victim)
    return f"{kind} fails"


def power_cut(home, random, folder):
    work = random.choice(home.works)
    home.prepare(work, folder)
    seed = random.randrange(1, 1 << 30)
    case = random.choice(["at the end", "at a call", "at a call", "after a failed sync"])
    if case == "at the end":
        faults = {}
    elif case == "at a call":
        kinds = ["write", "sync", "open", "truncate", "name"]
        faults = dict(calls=",".join(kinds), at=call_of(work, random, kinds), do="torn")
    else:
        faults = dict(
            calls="sync", at=call_of(work, random, ["sync"]) or 1, do="error", errno=IO_ERROR)
    victim = home.program.run(folder, work.command, cut=seed, **faults)
    home.verify(work, folder, victim)
    return case


def damage(home, random, folder):
    return random.choice([damaged_log, damaged_log, damaged_page, damaged_size])(
        home, random, folder)


def damaged_log(home, random, folder):
    """A store whose program was killed, and whose log or index is damaged then."""
    work = home.works[0]
    home.prepare(work, folder)
    home.program.run(
        folder, work.command, calls="write", do="kill",
        at=random.randrange(work.counts["write"] // 2, work.counts["write"] + 1))
    log, index = folder / "s.sqlite-wal", folder / "s.sqlite-shm"
    case = random.choice(["log cut", "log torn", "log lost", "index lost", "index torn"])
    if not log.exists():
        case = "no log"
    elif case == "log cut":
        os.truncate(log, random.randrange(log.stat().st_size + 1))
    elif case == "log torn":
        overwrite(log, random, random.randrange(log.stat().st_size + 1), 512)
    elif case == "log lost":
        log.unlink()
    elif index.exists():
        if case == "index lost":
            index.unlink()
        else:
            overwrite(index, random, random.randrange(index.stat().st_size), 64)
    if case.startswith("log"):
        # Without its log, a file that was being brought up to date is damaged: that is noticed.
        again = home.program.run(folder, work.command)
        check = home.program.run(folder, ["store", "check", "--store", "s.sqlite"])
        for result in [again, check]:
            if result.code not in (0, 1, 3) or result.code and not result.error + result.output:
                raise Difference(f"{case}: ended with {result.code}: {result.error}")
        if check.code:
            return f"{case}, noticed"
    home.program.must(folder, work.command)
    home.compare(work, folder, case)
    home.program.check(folder)
    return case


def overwrite(path, random, offset, length):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(random.randbytes(length))


def damaged_page(home, random, folder):
    folder.mkdir()
    store = folder / "s.sqlite"
    shutil.copy(home.folder / "all.sqlite", store)
    pages = store.stat().st_size // 4096
    page = random.randrange(pages)
    case = random.choice(["page of zeros", "torn page", "wrong page"])
    with open(store, "r+b") as file:
        content = bytes(4096) if case == "page of zeros" else random.randbytes(4096)
        if case == "wrong page":
            file.seek(random.randrange(pages) * 4096)
            content = file.read(4096)
        file.seek(page * 4096)
        file.write(content)
    survive_damage(home, folder, f"{case} {page} of {pages}")
    return case


def damaged_size(home, random, folder):
    folder.mkdir()
    store = folder / "s.sqlite"
    shutil.copy(home.folder / "all.sqlite", store)
    os.truncate(store, random.randrange(store.stat().st_size))
    survive_damage(home, folder, "cut file")
    return "cut file"


def survive_damage(home, folder, case):
    """Every command ends with a word; the check notices, or nothing is missing."""
    check = None
    for arguments in [["store", "check"], ["today"], ["done", "pills"], ["store", "export"]]:
        result = home.program.run(folder, [*arguments, "--store", "s.sqlite"])
        if result.code not in (0, 1, 2, 3, 4):
            raise Difference(f"{case}: {arguments[0]} ended with {result.code}: {result.error}")
        if result.code and not (result.error + result.output).strip():
            raise Difference(f"{case}: {arguments[0]} ended with {result.code} and no word")
        if arguments[-1] == "check":
            check = result
            if check.code == 0:
                found = home.program.export(folder)
                if found != home.everything:
                    raise Difference(
                        f"{case} is not noticed: {first_difference(home.everything, found)}")


def rivals(home, random, folder):
    """Several processes with one store at once, one of them killed now and then."""
    folder.mkdir()
    home.add_devices(folder)
    home.stores.put(folder, home.folder, "half.sqlite")
    for file in ["all.jsonl", "plan.yaml"]:
        shutil.copy(home.folder / file, folder / file)
    many = replay("all.jsonl")
    commands = [
        many, many,
        ["plan", "import", "plan.yaml", "--store", "s.sqlite"],
        ["done", "pills", "--store", "s.sqlite", "--date", "2026-11-18", "--occurrence", "51"],
        ["store", "export", "copy.jsonl", "--store", "s.sqlite"],
    ]
    random.shuffle(commands)
    processes = [(home.program.start(folder, command), command) for command in commands]
    doomed = random.choice([None, many])
    if doomed:
        time.sleep(random.uniform(0, 0.2))
        next(process for process, command in processes if command == many).kill()
    for process, command in processes:
        result = home.program.finish(process, command)
        if result.code and not (result.killed and command == many and doomed):
            raise Difference(f"{command[0]} ended with {result.code}: {result.error.strip()}")
    home.program.must(folder, many)
    samples = [row for row in home.everything if '"kind": "sample"' in row]
    found = [row for row in home.program.export(folder) if '"kind": "sample"' in row]
    if found != samples:
        raise Difference(first_difference(samples, found))
    home.program.check(folder)
    return "with a kill" if doomed else "all alive"


def wrong_clock(home, random, folder):
    """Commands between which the clock jumps: the last word holds."""
    folder.mkdir()
    home.stores.put(folder, home.folder, "all.sqlite")
    jump = random.choice([jumping_answers, jumping_owners, jumping_plans])
    for _ in range(4):
        skew = random.choice([-DAY, DAY, -3_600, 3_600, -400 * DAY, 0])
        wanted, found = jump(home, random, folder, skew)
        if found != wanted:
            raise Difference(f"{jump.__name__} at {skew:+} s gives {found}, not {wanted}")
    home.program.check(folder)
    return jump.__name__.removeprefix("jumping_")


def jumping_answers(home, random, folder, skew):
    span = ["--from", "2026-11-18", "--to", "2026-11-19", "--task", "pills"]

    def state():
        rows = home.program.must(
            folder, ["events", "--json", "--store", "s.sqlite", *span]).objects()
        row = next(row for row in rows if row["occurrence"] == 51)
        return (row.get("answer") or {}).get("state")

    before = state()
    command, wanted = random.choice([
        (["done", "pills", "--not", "--at", "2026-11-18T08:30"], "notDone"),
        (["done", "pills", "--at", "2026-11-18T08:30"], "done"), (["undo", "pills"], None)])
    result = home.program.run(
        folder, [*command, "--store", "s.sqlite", "--date", "2026-11-18", "--occurrence", "51"],
        time=NOW + skew)
    # What lies in the future cannot be answered, and what is open cannot be taken back.
    is_refused = skew < -DAY if wanted else before is None
    if (result.code != 0) != is_refused and not (skew < -DAY and result.code == 3):
        raise Difference(f"{' '.join(command)} at {skew:+} s ended with {result.code}")
    return (wanted if result.code == 0 else before), state()


def jumping_owners(home, random, folder, skew):
    owner = random.choice(["john", "mary", None])
    change = ["assign", "1", "--patient", owner] if owner else ["unassign", "1"]
    home.program.must(folder, ["samples", *change, "--store", "s.sqlite"], time=NOW + skew)
    rows = home.program.must(folder, ["samples", "--json", "--store", "s.sqlite"]).objects()
    return owner, next(row for row in rows if row.get("id") == 1).get("patient")


def jumping_plans(home, random, folder, skew):
    title = f"Weigh {random.randrange(1_000)}"
    (folder / "plan.yaml").write_text(household.plan(title))
    home.program.must(
        folder, ["plan", "import", "plan.yaml", "--store", "s.sqlite"], time=NOW + skew)
    rows = home.program.must(
        folder, ["tasks", "--json", "--store", "s.sqlite"], time=NOW + 2 * DAY).objects()
    task = next(row for row in rows if "weigh-in" in (row.get("id"), row.get("task")))
    return title, task["title"]


KINDS = [
    (kill_by_clock, 29), (kill_at_call, 25), (failing_call, 22), (power_cut, 15), (damage, 6),
    (rivals, 1), (wrong_clock, 2),
]
SERVER_KINDS = [
    (server.kill_by_clock, 14), (server.kill_at_message, 18), (server.cut_line, 22),
    (server.killed_server, 24), (server.full_disk, 16), (rivals, 3), (wrong_clock, 3),
]


# --- The campaign ---


class Campaign:
    def __init__(self, options, program, folder):
        self.options, self.program, self.folder = options, program, folder
        self.homes, self.locks = {}, collections.defaultdict(threading.Lock)
        self.lock = threading.Lock()
        self.counts, self.differences = collections.Counter(), []
        self.end = time.monotonic() + options.seconds if options.seconds else None

    def home(self, number):
        """A household; each is used for some runs and then forgotten."""
        group = number // RUNS_OF_A_HOUSEHOLD
        with self.lock:
            # The next one is made while runs of this one and the last go on.
            for old in [old for old in self.homes if old < group - 2]:
                home = self.homes.pop(old)
                self.program.stores.forget(home.folder)
                shutil.rmtree(home.folder, ignore_errors=True)
            made = self.locks[group]
        with made:
            if group not in self.homes:
                seed = self.options.seed * 1_000_003 + group
                folder = self.folder / f"home-{group}"
                shutil.rmtree(folder, ignore_errors=True)
                self.homes[group] = Household(seed, self.program, folder)
            return self.homes[group]

    def prepare(self, number):
        """Makes a household before its first run, which fails if this does."""
        with contextlib.suppress(Difference, OSError, ValueError, LookupError):
            if not (self.end and time.monotonic() > self.end):
                self.home(number)

    def run(self, number):
        if self.end and time.monotonic() > self.end:
            return
        random = randomness.Random(f"{self.options.seed} {number}")
        kinds = SERVER_KINDS if self.program.stores.is_server else KINDS
        attack = random.choices([kind for kind, _ in kinds], [share for _, share in kinds])[0]
        folder = self.folder / f"run-{number}"
        try:
            detail = attack(self.home(number), random, folder)
            self.counts[attack.__name__, detail] += 1
        except (Difference, OSError, ValueError, LookupError) as difference:
            self.differences.append(number)
            print(
                f"run {number} ({attack.__name__}, --seed {self.options.seed} --only {number}):"
                f" {difference or type(difference).__name__}", flush=True)
            if self.options.keep:
                return
        self.program.stores.forget(folder)
        shutil.rmtree(folder, ignore_errors=True)

    def print_progress(self, number, seconds):
        print(f"{number} runs, {len(self.differences)} differences, {seconds:.0f} s", flush=True)

    def print_summary(self, seconds):
        kinds = collections.Counter()
        for (kind, _), count in self.counts.items():
            kinds[kind] += count
        for kind, count in sorted(kinds.items()):
            details = ", ".join(
                f"{detail} {number}" for (of, detail), number in sorted(self.counts.items())
                if of == kind)
            print(f"{count:6}  {kind.replace('_', ' ')}: {details}")
        print(
            f"{sum(kinds.values()):6}  runs without a difference, {len(self.differences)} with one,"
            f" {seconds:.0f} s, seed {self.options.seed}")


def scratch():
    """A folder in memory if there is room: the attack is on the order of calls, not on a disk."""
    memory = pathlib.Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK)
    if usable and shutil.disk_usage(memory).free < 256 << 20:
        usable = False
    return tempfile.TemporaryDirectory(prefix="attack-", dir=memory if usable else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("shim", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seconds", type=float, help="start no run after so many seconds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, help="one run, by its number")
    parser.add_argument("--fuzz", type=int, default=0, help="so many hostile inputs instead")
    parser.add_argument("--keep", action="store_true", help="keep the files of a difference")
    parser.add_argument("--engine", choices=["sqlite", "postgresql"], default="sqlite")
    options = parser.parse_args()
    temporary = scratch()
    folder = pathlib.Path(temporary.name).resolve()
    stores = None
    if options.engine == "postgresql":
        # All runs share the server, which some of them kill.
        options.jobs = 1
        stores = server.Server(folder)
    program = Program(options.program.resolve(), options.shim.resolve(), stores)
    if options.fuzz:
        return fuzz.campaign(program, folder, options)
    start = time.monotonic()
    campaign = Campaign(options, program, folder)
    numbers = range(options.runs) if options.only is None else [options.only]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = []
        for number in numbers:
            if number % RUNS_OF_A_HOUSEHOLD == 0 and number + RUNS_OF_A_HOUSEHOLD in numbers:
                # Beside the runs before it, so that no job waits for it.
                pool.submit(campaign.prepare, number + RUNS_OF_A_HOUSEHOLD)
            runs.append(pool.submit(campaign.run, number))
        for number, future in enumerate(runs, 1):
            future.result()
            if number % PROGRESS == 0 and number < len(runs):
                campaign.print_progress(number, time.monotonic() - start)
    campaign.print_summary(time.monotonic() - start)
    if options.keep and campaign.differences:
        print(f"Files: {folder}")
        os._exit(1)
    return 1 if campaign.differences else 0


if __name__ == "__main__":
    sys.exit(main())
