#!/usr/bin/env bash
# Fetches sensors that others have written, from their packages: Bumble's examples (its source package)
# and those of BlueZ (Debian's bluez-test-scripts), which are not installed. A second run does nothing.
set -euo pipefail
. "$(dirname "$0")/settings.sh"
folder=$VM_WORK/strangers
[ ! -e "$folder/complete" ] || exit 0
bash "$ROOT/.ci/packages" python3-dbus python3-gi
rm -rf "$folder"
mkdir -p "$folder/bluez"
cd "$folder"
version=$("$VM_WORK/venv/bin/python" -c "import importlib.metadata; print(importlib.metadata.version('bumble'))")
attempt 3 "$VM_WORK/venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps \
  --no-binary bumble "bumble==$version"
tar xzf "bumble-$version.tar.gz"
mv "bumble-$version" bumble
attempt 3 apt-get download -qq bluez-test-scripts
dpkg -x bluez-test-scripts*.deb bluez
touch complete
