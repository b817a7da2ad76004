#!/usr/bin/env bash
# Everything that the guests need and that does not change with the program; a second run does
# nothing.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
cd "$VM_HOME/setup"
release=$(./kernel.sh)
./image.sh "$release"
./tools.sh
./python.sh
