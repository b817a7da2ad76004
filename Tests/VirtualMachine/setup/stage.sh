#!/usr/bin/env bash
# stage.sh [BUILT]: installs what is under test into $VM_WORK/stage, which the guests see: the
# release, or from a folder where the program was built just now. A copy in any case, since a file that
# changes under a running guest is read torn.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
rm -rf "$VM_WORK/stage"
[ -n "${1:-}" ] || make -s -C "$ROOT" release
make -s -C "$ROOT" install DESTDIR="$VM_WORK/stage" PREFIX=/usr BUILT="${1:-}"
