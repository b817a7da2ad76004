"""Runs multi-user-scale-core (Ron Ben Yosef, MIT licence) over simulated households.

Reads one household a line from standard input: `{"start": [KG, ...], "monthly": true, "weighings":
[[MINUTE, KG, OWNER], ...]}`. `start` are the patients' weights by the plan, each recorded as a first
weighing; OWNER counts the patients, -1 is nobody of the plan. A weighing with one candidate goes to it, any
other one waits. With `monthly` the last weighing that waits is answered every thirty days, twelve times.

Prints `COUNT OWN WRONG WAITING` a household: all weighings and the patients' own, those that went to a
wrong person and the patients' own that wait.

    python3 households.py < HOUSEHOLDS
"""

import datetime
import json
import sys

from multi_user_scale_core import UserProfile, WeightMeasurement, WeightRouter

EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def measurement(minute, weight):
    at = EPOCH + datetime.timedelta(minutes=minute)
    return WeightMeasurement(weight_kg=weight, timestamp=at, source_id="scale")


def outcome(household):
    router = WeightRouter()
    names = [str(number) for number in range(len(household["start"]))]
    router.set_users([UserProfile(user_id=name, display_name=name) for name in names])
    for name, weight in zip(names, household["start"]):
        router.record_measurement_for_user(name, measurement(0, weight))
    wrong, waiting, answers, month = 0, [], 0, 0
    own = sum(owner >= 0 for _, _, owner in household["weighings"])

    def answer():
        # Of nobody of the plan nothing can be told.
        value, owner = waiting.pop()
        if owner >= 0:
            router.record_measurement_for_user(names[owner], value)

    for minute, weight, owner in household["weighings"]:
        owner = int(owner)
        if household["monthly"] and minute // 1440 // 30 > month:
            month = minute // 1440 // 30
            if waiting and answers < 12:
                answers += 1
                answer()
        value = measurement(minute, weight)
        candidates = router.evaluate_measurement(value)
        if len(candidates) != 1:
            waiting.append((value, owner))
            continue
        router.record_measurement_for_user(candidates[0].user_id, value)
        wrong += candidates[0].user_id != str(owner)
    return len(household["weighings"]), own, wrong, sum(owner >= 0 for _, owner in waiting)


for line in sys.stdin:
    print(*outcome(json.loads(line)), flush=True)
