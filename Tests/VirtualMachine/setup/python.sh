#!/usr/bin/env bash
# Makes the Python environment: Bumble plays the sensors and the controller (the corrections in
# bench/link.py are made for this version), bleak is the client to compare with.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
wanted="bumble==0.0.236 bleak==3.1.0"
[ "$(cat "$VM_WORK/venv/wanted" 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf "$VM_WORK/venv"
/usr/bin/python3 -m venv "$VM_WORK/venv"
# shellcheck disable=SC2086
attempt 6 "$VM_WORK/venv/bin/pip" install -q --disable-pip-version-check $wanted
echo "$wanted" >"$VM_WORK/venv/wanted"
