#!/usr/bin/env bash
# Builds the guest's small programs, static, so that they start at once.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
for tool in vhcirelay hcimon storewatch; do
  [ "$VM_WORK/bin/$tool" -nt "$VM_HOME/guest/$tool.c" ] ||
    gcc -O2 -Wall -static -o "$VM_WORK/bin/$tool" "$VM_HOME/guest/$tool.c"
done
