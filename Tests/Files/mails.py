"""mails.py PROGRAM: the demo's days by mail to a real server, the parts read by Python's `email`; what changes follows."""

import csv
import email
import email.policy
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from datetime import datetime

from aiosmtpd.controller import Controller
from garmin_fit_sdk import Decoder, Stream

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, failures, free_port

PROGRAM = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp(prefix="mails-"))
store = folder / "demo.sqlite"
PERSON = "周 alex"


class Mailbox:
    def __init__(self):
        self.mails, self.answer = [], None

    async def handle_DATA(self, server, session, envelope):
        if self.answer:
            return self.answer
        self.mails.append(email.message_from_bytes(envelope.content, policy=email.policy.SMTP))
        return "250 kept"

    def files(self, name):
        """The files of an outlet as its reader has them: by name, the latest one."""
        return {
            part.get_filename(): part.get_content()
            for one in self.mails if one["to"] == f"{name}@example.org" for part in one.iter_attachments()}  # fmt: skip


def measured(*arguments):
    result = subprocess.run([PROGRAM, *arguments, "--store", str(store)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout


def wait(name, holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.2)
    check(name, holds())


def stored():
    """The values of days that are over, by day: quantity, moment and value."""
    found, today = {}, datetime.now().astimezone().date().isoformat()
    for line in measured("samples", "list", "--json", "--patient", PERSON).splitlines():
        one = json.loads(line)
        day = one["time"][:10]
        if one.get("state", "live") == "live" and day < today:
            found.setdefault(day, set()).add((one["quantity"], one["time"][:19], one["value"]))
    return found


def arrived(box):
    found = {}
    for name, text in box.files("table").items():
        rows = csv.DictReader(io.StringIO(text))
        values = {(row["quantity"], row["time"][:19], float(row["value"])) for row in rows}
        if values:
            found[name.removesuffix(".csv")[-10:]] = values
    return found


def main():
    measured("demo", "--no-serve")
    measured("patient", "rename", "alex", PERSON)
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    settings = folder / "settings.yaml"
    settings.write_text(
        f"store: {store}\npage: off\n"
        f"mail: {{server: 127.0.0.1, port: {controller.port}, encryption: none, from: box@example.org, name: Wäge}}\n"
        "outlets:\n"
        "  table: {kind: file, people: all, since: 2000-01-01, mail: table@example.org}\n"
        "  garmin: {kind: file, people: all, format: fit, since: 2000-01-01, mail: garmin@example.org}\n")
    daemon = None
    try:
        with (folder / "daemon.log").open("w") as log:
            daemon = subprocess.Popen([PROGRAM, "run", "--settings", str(settings)], stdout=log, stderr=log)
        wait("the days wait for the night", lambda: measured(
            "outlet", "list", "--json", "--settings", str(settings)).count('"oldestUnsent"') == 2)
        check("and nothing has gone", not box.mails, box.mails)
        measured("outlet", "test", "table", "--settings", str(settings))
        check("a test is a mail without files", len(box.mails) == 1 and not list(box.mails[0].iter_attachments()))
        for name in ("table", "garmin"):
            measured("outlet", "backfill", name, "--settings", str(settings))
        wait("on demand all days come as they are", lambda: arrived(box) == stored())
        mails = [one for one in box.mails if one.is_multipart() and one["to"] == "table@example.org"]
        check("no part is damaged", not any(part.defects for one in mails for part in one.walk()))
        check("a mail has no more than a month", all(len(list(one.iter_attachments())) <= 31 for one in mails))
        first = next(iter(box.files("table")))
        check("a name is that of person and day", first.startswith("周%20alex-20") and first.endswith(".csv"), first)
        check("the subject", PERSON in mails[0]["subject"], mails[0]["subject"])
        text = mails[0].get_body().get_content()
        check("the text says days and values", first in text and "Weight (" in text, text)
        check("each mail has its own name", len({one["message-id"] for one in box.mails}) == len(box.mails))

        wait("files for Garmin come", lambda: bool(box.files("garmin")))
        weights, damage = [], []
        for name, data in box.files("garmin").items():
            messages, errors = Decoder(Stream.from_byte_array(bytearray(data))).read()
            damage += errors
            weights += [row["weight"] for row in messages.get("weight_scale_mesgs", [])]
        ours = sorted(value for day in stored().values() for quantity, _, value in day if quantity == "bodyMass")
        check("and have every weight, undamaged", not damage and len(weights) == len(ours) and all(
            abs(one - other) < 0.006 for one, other in zip(sorted(weights), ours)), damage)

        # A correction goes in the next night, or on demand, under the name that the day has.
        count = len(box.mails)
        one = json.loads(measured("samples", "list", "--quantity", "bodyMass", "--json").splitlines()[-1])
        measured("samples", "correct", str(one["id"]), "--value", "61.25 kg")
        box.answer = "455 4.2.0 not now"
        measured("outlet", "backfill", "table", "--from", one["time"][:10], "--settings", str(settings))
        wait("a server that is busy is tried again", lambda: "455 4.2.0 not now" in measured(
            "outlet", "list", "--json", "--settings", str(settings)) or "failing" in measured(
            "outlet", "list", "--json", "--settings", str(settings)))
        box.answer = None
        wait("a correction follows", lambda: arrived(box) == stored())
        check("in one mail that says so", len(box.mails) == count + 1 and "corrected" in box.mails[-1]["subject"],
              [mail["subject"] for mail in box.mails[count:]])

        box.answer = "554 5.7.1 no health data here"
        measured("outlet", "backfill", "table", "--from", one["time"][:10], "--settings", str(settings))
        wait("a refusal for good is kept with its words", lambda: "554 5.7.1 no health data here" in measured(
            "outlet", "refused", "table"))
        box.answer, count = None, len(box.mails)
        measured("outlet", "refused", "table", "--retry")
        wait("and goes once somebody says so", lambda: len(box.mails) == count + 1)
        wait("no refusal is left", lambda: "554" not in measured("outlet", "refused", "table"))
    finally:
        if daemon:
            daemon.terminate()
            daemon.wait(30)
        controller.stop()
    print(f"Mails: {len(failures)} failures" + f", {folder}" * bool(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
