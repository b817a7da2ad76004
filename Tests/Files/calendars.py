"""calendars.py PROGRAM: the plan as a calendar, whose rules dateutil follows for ten years in five zones."""

import json
import pathlib
import subprocess
import sys
import tempfile
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from dateutil.tz import resolve_imaginary

PROGRAM = sys.argv[1]
YEARS = 10
FIRST = date(2026, 1, 1)
# Clocks that change by an hour in either half of the year, by half an hour, and never.
ZONES = ["Europe/Berlin", "America/Los_Angeles", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago"]
# Those that a rule says, and those of which a year is listed.
RULES = {
    "daily": "start: 2026-01-01T08:00, interval: {days: 1}, duration: 1h",
    "in-the-gap": "start: 2026-01-01T02:30, interval: {days: 1}, duration: 15m",
    "before-midnight": "start: 2026-01-03T23:45, interval: {days: 3}, duration: 30m",
    "midnight": "start: 2026-01-01T00:00, interval: {days: 1}, duration: 30m",
    "weekly": "start: 2026-01-05T07:30, interval: {weeks: 2}, duration: 1h",
    "monthly": "start: 2026-01-28T09:00, interval: {months: 1}, duration: 1h",
    "yearly": "start: 2026-02-14T09:00, interval: {years: 1}, duration: 1h",
    "last-sunday": "start: 2026-01-01T09:00, weekday: {nth: -1, day: sunday}, duration: 1h",
    "second-tuesday": "start: 2026-01-01T02:15, interval: {months: 2}, weekday: {nth: 2, day: tuesday}, duration: 1h",
    "without-some": "start: 2026-01-01T08:00, interval: {days: 1}, except: [2026-03-29, 2026-12-24], duration: 1h",
    "until": "start: 2026-01-01T08:00, end: 2031-06-01, interval: {days: 1}, duration: 1h",
    "hourly": "start: 2026-01-01T05:00, interval: {hours: 5}, duration: 30m",
    "all-day": "start: 2026-01-01, interval: {days: 2}, duration: allDay",
    "week": 'start: 2026-01-05T08:00, rrule: "FREQ=WEEKLY;BYDAY=MO,WE,FR", duration: 1h',
}
LISTS = {
    "thirty-first": "start: 2026-01-31T09:00, interval: {months: 1}, duration: 1h",
    "cycle": "start: 2026-01-01T02:30, cycle: {on: 21, off: 7}, duration: 1h",
}


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{arguments}: {result.stderr}")
    return result.stdout


def components(text):
    """The events of a calendar, each a dictionary from a property to its parameters and value."""
    lines = text.replace("\n ", "").split("\n")
    event = None
    for line in lines:
        name, _, value = line.partition(":")
        name, *parameters = name.split(";")
        if line == "BEGIN:VEVENT":
            event = {}
        elif line == "END:VEVENT":
            yield event
            event = None
        elif event is not None and name not in event:
            event[name] = dict(parameter.split("=") for parameter in parameters), value


def instant(wall, parameters):
    """The instant of a time in the words of RFC 5545: one that clocks skip is read as before the change."""
    if parameters.get("VALUE") == "DATE":
        return wall.date()
    if "TZID" not in parameters:
        return wall.replace(tzinfo=timezone.utc)
    return resolve_imaginary(wall.replace(tzinfo=ZoneInfo(parameters["TZID"]))).astimezone(timezone.utc)


def wall(text):
    return datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S" if "T" in text else "%Y%m%d")


def starts(event, end):
    """When an event begins, as a calendar's program would have it, before `end`."""
    parameters, value = event["DTSTART"]
    first = wall(value)
    found = [first]
    if "RRULE" in event:
        parts = dict(part.split("=") for part in event["RRULE"][1].split(";"))
        until = parts.pop("UNTIL", None)
        if until and "T" in until:
            # The rule steps on the wall's clock, and its end is an instant.
            last = wall(until).replace(tzinfo=timezone.utc)
        else:
            last = wall(until).date() if until else None
        rule = rrulestr(";".join("=".join(part) for part in parts.items()), dtstart=first)
        left = {wall(one) for one in event["EXDATE"][1].split(",")} if "EXDATE" in event else set()
        found = []
        for moment in rule.xafter(first - timedelta(1)):
            if moment >= end + timedelta(2):
                break
            if last is not None and instant(moment, parameters) > last:
                break
            if moment not in left:
                found.append(moment)
    if "RDATE" in event:
        found += [wall(one) for one in event["RDATE"][1].split(",")]
    return [instant(moment, parameters) for moment in found]


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="calendars-"))
    count = failures = 0
    for zone in ZONES:
        schedules = RULES | LISTS
        plan, store = folder / "plan.yaml", folder / f"{zone.replace('/', '-')}.sqlite"
        plan.write_text(
            f"timeZone: {zone}\npatients: [{{id: anna, name: {{given: Anna}}}}]\ntasks:\n"
            + "".join(f"  - {{id: {name}, patient: anna, title: {name}, effectiveDate: 2026-01-01, schedule: [{{{text}}}]}}\n"
                      for name, text in schedules.items()))  # fmt: skip
        run("plan", "import", str(plan), "--store", str(store))
        events = list(components(run("plan", "calendar", "-", "--store", str(store))))
        for name, text in schedules.items():
            # A list ends a year after the day on which it is written, or begins.
            years = YEARS if name in RULES else 1
            end = datetime(FIRST.year + years, 1, 1)
            schedule = folder / "schedule.yaml"
            schedule.write_text(f"timeZone: {zone}\nschedule: [{{{text}}}]\n")
            lines = run("schedule", "expand", str(schedule), "--from", "2026-01-01", "--to", f"{end:%Y-%m-%d}", "--json")
            own = [datetime.fromisoformat(json.loads(line)["start"]) for line in lines.splitlines()]
            border = end.replace(tzinfo=ZoneInfo(zone))
            if "allDay" in text:
                own, border = [one.date() for one in own], end.date()
            theirs = [one for event in events if event["SUMMARY"][1] == name for one in starts(event, end)]
            theirs = sorted(one for one in theirs if one < border)
            has_rule = all("RRULE" in event for event in events if event["SUMMARY"][1] == name)
            if has_rule != (name in RULES):
                failures += 1
                print(f"{zone} {name}: {'a rule' if has_rule else 'no rule'}")
            if own != theirs:
                failures += 1
                print(f"{zone} {name}: {len(own)} and {len(theirs)}, {sorted(set(own) ^ set(theirs))[:4]}")
            count += len(own)
    print(f"Calendars: {count} beginnings of {len(ZONES)} zones, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
