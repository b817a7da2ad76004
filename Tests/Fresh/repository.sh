# shellcheck shell=bash
# The part `repository` of fresh-test: an apt repository with a key of its own, served on this machine.
# The lines that `make repository` prints are followed in a bare system, word by word: first with a package
# of a lower number, which unattended upgrades then replace.

repository() {
  local release="$1" deb="$2" port=8474 name=measured-fresh-test version
  say "apt repository in $release"
  version="$(dpkg-deb -f "$deb" Version)"
  export GNUPGHOME="$work/gnupg"
  rm -rf "$GNUPGHOME" "$work/apt" "$work/older"
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-generate-key "$name" ed25519 sign never

  dpkg-deb -R "$deb" "$work/older"
  sed -i 's/^Version: .*/Version: 0.0.1-1/' "$work/older/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone -b "$work/older" "$work/older.deb" >/dev/null
  publish "$work/older.deb" >"$work/client"
  python3 -m http.server "$port" --bind 127.0.0.1 --directory "$work/apt" >/dev/null 2>&1 &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT

  system "$release"
  inside apt-get install -y -qq --no-install-recommends curl >/dev/null
  { echo 'set -exo pipefail'; sed -n 's/^  sudo/sudo/p' "$work/client"; } | as_root tee "$tree/tmp/lines" >/dev/null
  inside su --login kim --command "bash -l /tmp/lines" </dev/null
  check "the package of the repository is installed" test "$(installed)" = 0.0.1-1

  publish "$deb" >/dev/null
  check "a package with other content under a published number is refused" refused
  inside apt-get install -y -qq --no-install-recommends unattended-upgrades >/dev/null
  echo 'Unattended-Upgrade::Origins-Pattern { "origin=measured,codename=${distro_codename}"; };' |
    as_root tee "$tree/etc/apt/apt.conf.d/91measured" >/dev/null
  inside apt-get update -qq
  inside unattended-upgrade --verbose </dev/null
  check "unattended upgrades replace it by $version" test "$(installed)" = "$version"
  check "runs" inside measured --version

  # Lists that were fetched before stay in force; without them nothing is left.
  as_root sed -i 's/^Label: measured/Label: Measured/' "$work/apt/dists/$release/InRelease"
  inside sh -c 'rm -rf /var/lib/apt/lists/*'
  check "a list that somebody changed is refused" not inside apt-get update -o APT::Update::Error-Mode=any
  kill "$server"
  trap - EXIT
  rm -rf "$GNUPGHOME" "$work/apt" "$work/older" "$work/older.deb"
}

publish() { bash "$root/Packaging/repository" "$work/apt" "$name" "http://127.0.0.1:$port" "$1"; }
installed() { inside dpkg-query -W -f '${Version}' measured; }
not() { ! "$@"; }

# Another package of the same number.
refused() {
  sed -i "s/^Version: .*/Version: $version/" "$work/older/DEBIAN/control"
  dpkg-deb --root-owner-group -Znone -b "$work/older" "$work/older.deb" >/dev/null
  not publish "$work/older.deb" 2>/dev/null
}
