#!/usr/bin/env bash
# Builds the small programs of the guest, static, so that they start at once, and those of the set-up.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
for source in "$VM_HOME"/guest/*.c "$VM_HOME"/setup/*.c; do
  tool=$VM_WORK/bin/$(basename "$source" .c)
  [ "$tool" -nt "$source" ] || gcc -O2 -Wall -static -o "$tool" "$source"
done
