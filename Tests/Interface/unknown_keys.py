"""Bodies with a key that the interface's description does not have: each is refused with the key's name.

unknown_keys.py ADDRESS EVENT

Makes a body of each operation from its schema, and adds an unknown key to each of its objects in turn.
"""

import json
import sys
import urllib.error
import urllib.request

UNKNOWN = "stateOfMind"
# Documents of other programs, whose further keys are theirs; a signed body is looked at by its signature first.
OTHERS = ["/phones/", "/exchange"]
# Texts that are looked at before the keys beside them.
TEXTS = {"channel": "ntfy:https://ntfy.example/t", "secret": "tk_1"}
# The ids of things that exist in the demo's week.
THINGS = {"sample": "1", "patient": "alex", "contact": "nora"}


def resolved(document, schema):
    while "$ref" in schema:
        place = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            place = place[part]
        schema = place
    return schema


def example(document, schema):
    """A value of a schema, with every key."""
    schema = resolved(document, schema)
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return example(document, schema[choice][0])
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {
            key: TEXTS.get(key) or example(document, value)
            for key, value in schema.get("properties", {}).items()}
    if kind == "array":
        return [example(document, schema["items"])]
    if kind in ("number", "integer"):
        return max(1, schema.get("minimum", 1))
    return {"string": "x", "boolean": True, "null": None}[kind]


def objects(value, path=()):
    """The paths of the objects in a value."""
    if isinstance(value, dict):
        yield path
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from objects(inner, (*path, key))


def send(method, url, body):
    request = urllib.request.Request(
        url, method=method.upper(), headers={"Content-Type": "application/json"},
        data=json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def main():
    address, event = sys.argv[1].rstrip("/"), sys.argv[2]
    with urllib.request.urlopen(f"{address}/api/v1/openapi.json", timeout=30) as answer:
        document = json.load(answer)
    count, faults = 0, []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}) if method != "parameters" else {}
            if "application/json" not in content or any(other in path for other in OTHERS):
                continue
            body = example(document, content["application/json"]["schema"])
            url = address + path.format(event=event, **THINGS)
            for place in objects(body):
                changed = json.loads(json.dumps(body))
                inner = changed
                for key in place:
                    inner = inner[key]
                inner[UNKNOWN] = 1
                status, text = send(method, url, changed)
                count += 1
                if status != 400 or UNKNOWN not in text:
                    faults.append(f"{method.upper()} {path} {json.dumps(changed)}: {status} {text}")
    print("\n".join(faults + [f"{count} bodies with an unknown key, {len(faults)} not refused for it"]))
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
