# Sourced by the scripts of this folder: where everything that is made or fetched goes. Never into
# the source tree; a second run finds it there.
VM_WORK=${VM_WORK:-${XDG_CACHE_HOME:-$HOME/.cache}/measured-vm}
VM_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ROOT=$(cd "$VM_HOME/../.." && pwd)
PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$VM_WORK/bin"

# attempt TIMES COMMAND...: a mirror can be away for minutes.
attempt() {
  local left=$1
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    echo "Failed: $*; trying again in 20 s." >&2
    sleep 20
  done
}
