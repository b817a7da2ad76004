#!/usr/bin/env bash
# stage.sh BUILT: installs what was built into $VM_WORK/stage, which the guests see. A copy, since a
# file that changes under a running guest is read torn.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
built=$1
rm -rf "$VM_WORK/stage"
mkdir -p "$VM_WORK/stage"
if grep -q '^install:' "$ROOT/Makefile"; then
  make -s -C "$ROOT" install DESTDIR="$VM_WORK/stage" PREFIX=/usr BUILT="$built"
else
  install -D "$built/measured" "$VM_WORK/stage/usr/bin/measured"
  mkdir -p "$VM_WORK/stage/usr/share/measured/devices"
  cp "$ROOT"/Devices/*.yaml "$VM_WORK/stage/usr/share/measured/devices/"
fi
