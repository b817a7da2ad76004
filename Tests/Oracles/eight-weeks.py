#!/usr/bin/env python3
"""Eight weeks of a person with heart failure, and what a report on them has to say.

The readings follow from formulas, the facts from the readings, both apart from the program. Writes
eight-weeks.json beside itself.
"""

import datetime
import json
import pathlib
import statistics
import zoneinfo

ZONE = zoneinfo.ZoneInfo("Europe/Berlin")
FIRST = datetime.date(2026, 9, 1)
DAYS = 56  # to 26 October: summer time ends on the day before
SYSTOLIC_GOAL, DIASTOLIC_GOAL = 130, 80


def instant(day, hour, minute=0):
    local = datetime.datetime.combine(
        FIRST + datetime.timedelta(days=day), datetime.time(hour, minute), ZONE)
    return local.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def pressures():
    for day in range(DAYS):
        if day % 13 != 6:
            yield (day, 7, 139 - day // 7 + day * 7 % 11 - 5, 84 + day * 5 % 9 - 4)
        if day % 9 != 4:
            yield (day, 19, 127 + day * 3 % 13 - 6, 77 + day * 4 % 7 - 3)


def weights():
    for day in range(DAYS):
        if day % 10 != 9 or day >= DAYS - 3:
            gain = max(0, day - (DAYS - 4)) * 0.7
            yield (day, round(81.45 - 0.02 * day + (day * 11 % 7 - 3) * 0.1 + gain, 2))


def knees():
    return [(day, 72 + day // 2) for day in range(0, DAYS, 2)]


def doses():
    """The day, the hour, and whether it was taken: None for no answer at all."""
    for day in range(DAYS):
        if day % 14 == 10:
            yield (day, 8, None)
        else:
            yield (day, 8, True)
        yield (day, 20, day % 8 != 3)


def whole(number):
    """Rounded; what is too near to a half would compare two rules of rounding."""
    assert abs(number % 1 - 0.5) > 1e-6, number
    return str(round(number))


def pairs(rows):
    upper, lower = [row[2] for row in rows], [row[3] for row in rows]
    high = sum(s >= SYSTOLIC_GOAL or d >= DIASTOLIC_GOAL for _, _, s, d in rows)
    return [
        str(len(rows)), f"{whole(statistics.mean(upper))}/{whole(statistics.mean(lower))}",
        f"{min(upper)}/{min(lower)} – {max(upper)}/{max(lower)}",
        f"{high} ({whole(100 * high / len(rows))} %)"]


def kilograms(number):
    return f"{number:.2f}".rstrip("0").rstrip(".")


def facts():
    all_pairs, kilos, angles, taken = list(pressures()), list(weights()), knees(), list(doses())
    change = kilos[-1][1] - kilos[0][1]
    values = [value for _, value in kilos]
    answered = [dose for dose in taken if dose[2]]
    full = sum(
        all(dose[2] for dose in taken if dose[0] == day) for day in range(DAYS))
    return {
        "All": pairs(all_pairs),
        "Before noon": pairs([row for row in all_pairs if row[1] < 12]),
        "After noon": pairs([row for row in all_pairs if row[1] >= 12]),
        "Last seven days": pairs([row for row in all_pairs if row[0] >= DAYS - 7]),
        "Weight": [
            str(len(values)), kilograms(values[0]) + " kg", kilograms(values[-1]) + " kg",
            f"{abs(change):.1f} kg {'more' if change > 0 else 'less'}",
            f"{kilograms(min(values))} – {kilograms(max(values))}",
            kilograms(statistics.mean(values)) + " kg"],
        "Range of motion, right knee": [
            "Range", str(len(angles)), f"{angles[0][1]}°", f"{angles[-1][1]}°",
            f"{min(a for _, a in angles)}° – {max(a for _, a in angles)}°"],
        "Furosemide": [
            f"{whole(100 * len(answered) / len(taken))} %", "–", str(full), str(DAYS)],
    }


def main():
    samples = []
    for day, hour, systolic, diastolic in pressures():
        samples.append(["bloodPressureSystolic", systolic, instant(day, hour, 30)])
        samples.append(["bloodPressureDiastolic", diastolic, instant(day, hour, 30)])
    samples += [["bodyMass", value, instant(day, 7)] for day, value in weights()]
    samples += [["rangeOfMotion", angle, instant(day, 10, 30)] for day, angle in knees()]
    content = {
        "from": FIRST.isoformat(), "to": (FIRST + datetime.timedelta(days=DAYS - 1)).isoformat(),
        "samples": [{"quantity": q, "value": v, "time": t} for q, v, t in samples],
        "doses": [
            {"start": instant(day, hour), "isTaken": is_taken}
            for day, hour, is_taken in doses() if is_taken is not None],
        "facts": facts(),
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
