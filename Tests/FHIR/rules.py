"""The rules of FHIR R4 that a JSON schema does not say, for the types that measured writes."""

import json
import re

import fhirkit
from fhirpathpy import evaluate
from fhirpathpy.models import models

LOINC = "http://loinc.org"

# By the element's type: name and expression, from the definitions of R4.
TIMING = {
    "tim-1": "duration.empty() or durationUnit.exists()",
    "tim-2": "period.empty() or periodUnit.exists()",
    "tim-4": "duration.empty() or duration >= 0",
    "tim-5": "period.empty() or period >= 0",
    "tim-6": "periodMax.empty() or period.exists()",
    "tim-7": "durationMax.empty() or duration.exists()",
    "tim-8": "countMax.empty() or count.exists()",
    "tim-9": "offset.empty() or (when.exists() and when.where($this in ('C' | 'CM' | 'CD' | 'CV')).empty())",
    "tim-10": "timeOfDay.empty() or when.empty()",
}
OBSERVATION = {
    "obs-6": "Observation.dataAbsentReason.empty() or Observation.value.empty()",
    "vs-2": "(Observation.component.empty() and Observation.hasMember.empty()) implies "
            "(Observation.dataAbsentReason.exists() or Observation.value.exists())",
}  # fmt: skip
PERIOD = {"per-1": "start.empty() or end.empty() or start <= end"}
CARE_PLAN = {"cpl-3": "detail.empty() or reference.empty()"}

UNITS = {
    "29463-7": {"kg", "g", "[lb_av]"}, "8302-2": {"cm", "[in_i]"}, "39156-5": {"kg/m2"}, "8867-4": {"/min"},
    "2708-6": {"%"}, "8310-5": {"Cel", "[degF]"}, "8480-6": {"mm[Hg]"}, "8462-4": {"mm[Hg]"},
}  # fmt: skip

# The required codes of `status`.
STATUS = {
    "Observation": "registered preliminary final amended corrected cancelled entered-in-error unknown",
    "ServiceRequest": "draft active on-hold revoked completed entered-in-error unknown",
    "MedicationRequest": "active on-hold cancelled completed entered-in-error stopped draft unknown",
    "CarePlan": "draft active on-hold revoked completed entered-in-error unknown",
    "Task": "draft requested received accepted rejected ready cancelled in-progress on-hold failed completed "
            "entered-in-error",
    "Questionnaire": "draft active retired unknown",
    "QuestionnaireResponse": "in-progress completed amended entered-in-error stopped",
    "Device": "active inactive entered-in-error unknown", "Flag": "active inactive entered-in-error",
}  # fmt: skip


def walk(value, key=""):
    """Every element, with the key under which it stands."""
    if isinstance(value, dict):
        yield key, value
        for name, part in value.items():
            yield from walk(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from walk(part, key)


def holds(element, expression):
    return evaluate(element, expression, {}, models["r4"]) in ([True], [])


def codes(concept):
    return {one["code"] for one in (concept or {}).get("coding", []) if one.get("system") == LOINC}


def observation(resource):
    profiles = [one for one in resource.get("meta", {}).get("profile", []) if "vitalsigns" in one]
    for name, expression in OBSERVATION.items():
        if (profiles or not name.startswith("vs")) and not holds(resource, expression):
            yield name
    own = codes(resource.get("code"))
    parts = resource.get("component", [])
    has_value = any(key.startswith("value") for key in resource)
    if has_value and any(own & codes(part.get("code")) for part in parts):
        yield "obs-7"
    if profiles:
        categories = {one["code"] for concept in resource.get("category", []) for one in concept["coding"]}
        if "vital-signs" not in categories:
            yield "vital-signs category"
        start = resource.get("effectiveDateTime") or resource.get("effectivePeriod", {}).get("start", "")
        if not re.match(r"\d{4}-\d{2}-\d{2}", start):
            yield "vs-1"
        for part in parts or [resource]:
            for code in codes(part.get("code")) & UNITS.keys():
                quantity = part.get("valueQuantity")
                if quantity and (quantity.get("code") not in UNITS[code]
                                 or quantity.get("system") != "http://unitsofmeasure.org"):
                    yield "vital-signs unit"
    if "85354-9" in own:
        found = set().union(*(codes(part.get("code")) for part in parts)) if parts else set()
        if not {"8480-6", "8462-4"} <= found:
            yield "bp"


def faults(resource):
    """What is wrong with a resource: a rule's name, or the validator's words."""
    found = [str(issue) for issue in fhirkit.validate(json.dumps(resource))]
    if not re.fullmatch(r"[A-Za-z0-9\-.]{1,64}", resource.get("id", "")):
        found.append("id")
    known = STATUS.get(resource["resourceType"])
    if known and "status" in resource and resource["status"] not in known.split():
        found.append("status")
    if resource["resourceType"] == "Observation":
        found += observation(resource)
    for key, element in walk(resource):
        if key == "repeat":
            found += [name for name, expression in TIMING.items() if not holds(element, expression)]
        if key.endswith("Period") or key == "period" and "start" in element:
            found += [name for name, expression in PERIOD.items() if not holds(element, expression)]
        if key == "activity":
            found += [name for name, expression in CARE_PLAN.items() if not holds(element, expression)]
        if key == "item" and "item" in element and "answer" in element \
                and resource["resourceType"] == "QuestionnaireResponse":
            found.append("qrs-1")
    return found
