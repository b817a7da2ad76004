# shellcheck shell=bash
# The part `centre` of fresh-test: docs/centre.md, word by word, for a centre and three boxes. Each has
# a system and a network of its own; the centre's is behind nginx, with a certificate of an authority
# that the boxes trust. Nothing starts services in a bare system: what stands in for systemctl and
# journalctl starts the program as the unit does.

networks="measured-centre measured-box-1 measured-box-2 measured-box-3"
centre_ip=10.77.46.1

# Runs a command in the system and the network of $1.
at() {
  local name="$1"
  shift
  tree="$work/$name" net="$name" inside "$@"
}

end_centre() {
  local name pid
  for name in $networks; do
    for pid in $(ip netns pids "$name" 2>/dev/null); do as_root kill "$pid" 2>/dev/null || true; done
    as_root ip netns del "$name" 2>/dev/null || true
  done
  sleep 1
  for name in $networks; do as_root rm -rf --one-file-system "${work:?}/$name"; done
}

# A bridge in the centre's network, and a line from it to each box.
connect() {
  local name number=0
  for name in $networks; do
    as_root ip netns add "$name"
    as_root ip -n "$name" link set lo up
  done
  as_root ip -n measured-centre link add boxes type bridge
  as_root ip -n measured-centre addr add "$centre_ip/24" dev boxes
  as_root ip -n measured-centre link set boxes up
  for name in measured-box-1 measured-box-2 measured-box-3; do
    number=$((number + 1))
    as_root ip -n measured-centre link add "box$number" type veth peer name line netns "$name"
    as_root ip -n measured-centre link set "box$number" master boxes up
    as_root ip -n "$name" addr add "10.77.46.1$number/24" dev line
    as_root ip -n "$name" link set line up
  done
}

# What stands in for systemd: `systemctl … measured` starts the program as its unit does.
services() {
  as_root tee "$1/usr/local/sbin/systemctl" >/dev/null <<'END'
#!/bin/sh
case "$*" in *restart*measured*) ;; *) exit 0 ;; esac
if [ -s /run/measured.pid ]; then
  kill "$(cat /run/measured.pid)" && while kill -0 "$(cat /run/measured.pid)" 2>/dev/null; do sleep 0.2; done
fi
rm -f /var/lib/measured/*.sock
export STATE_DIRECTORY=/var/lib/measured HOME=/var/lib/measured LIBDISPATCH_LOG=NO
setsid setpriv --reuid measured --regid measured --init-groups \
  sh -c 'umask 077; echo $$ >/tmp/measured.pid; exec measured run' >>/var/log/measured.log 2>&1 </dev/null &
until ls /var/lib/measured/*.sock >/dev/null 2>&1; do sleep 0.2; done
mv /tmp/measured.pid /run/measured.pid
END
  printf '#!/bin/sh\nsleep 5\ncat /var/log/measured.log\n' | as_root tee "$1/usr/local/bin/journalctl" >/dev/null
  as_root chmod 755 "$1/usr/local/sbin/systemctl" "$1/usr/local/bin/journalctl"
}

# Runs the lines of docs/centre.md that are marked $2 at $1; further arguments are sed's, for what
# differs in each home: the code, the person.
follow_centre() {
  local name="$1" part="$2" script
  shift 2
  script="$(lines "$part" docs/centre.md)"
  [ -n "$script" ] || fail "docs/centre.md has no lines for $part"
  [ $# -eq 0 ] || script="$(sed -E "$@" <<<"$script")"
  printf 'cd /home/kim\nset -eo pipefail\nset -x\n%s\n' "$script" |
    as_root tee "$work/$name/tmp/lines" >/dev/null
  at "$name" su --login kim --command "bash -l /tmp/lines" </dev/null
}

# Waits for what $2… says, at most a minute.
within_a_minute() {
  local what="$1" number name
  shift
  for number in $(seq 60); do
    if "$@" >/dev/null 2>&1; then
      echo "✓ $what (${number} s)"
      return
    fi
    sleep 1
  done
  "$@" || true
  for name in $networks; do
    printf -- '-- %s\n' "$name"
    tail -n 5 "$work/$name/var/log/measured.log" || true
    at "$name" su --login kim --command 'measured sync status; measured samples' || true
  done
  fail "$what"
}

page_of_centre() {
  as_root ip netns exec measured-centre python3 -B "$here/pages.py" "$centre_ip" \
    "$work/authority.crt" "$work/cookies" "$@"
}
page_of_box() {
  local name="$1"
  shift
  as_root ip netns exec "$name" python3 -B "$here/pages.py" - - "$work/cookies-$name" "$@"
}

# The invitations that were made at the centre: the codes, in order.
code() { grep -oE 'code is [0-9A-Z-]+' "$work/invitations" | sed -n "$1s/.* //p"; }

measured_everywhere() {
  local table
  table="$(page_of_centre get /morning.csv)"
  echo "$table"
  [ "$(tail -n +2 <<<"$table" | awk -F, '$9 != ""' | grep -c .)" -eq 3 ]
}
shows_everybody() { [ "$(page_of_centre get /morning | grep -c '<tr id="person-')" -eq 3 ]; }
has_person() { at "$1" su --login kim --command 'measured patient list --json' | grep -q '"id"'; }
has_tasks() { at "$1" su --login kim --command "measured today --json" | grep -q '"task":"walk"'; }
is_done() {
  at "$1" su --login kim --command "measured events --from today --to tomorrow --task $2 --json" |
    grep -q '"completed":true'
}

centre() {
  local release="$1" deb="$2" name number person script
  say "a centre and three boxes in $release"
  end_centre
  trap end_centre EXIT
  rm -f "$work"/cookies* "$work/invitations"
  system "$release"
  as_root cp "$deb" "$tree/home/kim/measured_package.deb"
  as_root mv "$tree" "$work/measured-centre"
  connect
  # Packages come by the machine's own network.
  tree="$work/measured-centre" script="$(lines centre-package docs/centre.md)"
  printf 'cd /home/kim\n%s\n' "$script" | as_root tee "$tree/tmp/lines" >/dev/null
  inside su --login kim --command "bash -ex /tmp/lines" </dev/null
  inside apt-get install -qq ca-certificates openssl >/dev/null
  inside usermod --append --groups measured kim
  services "$tree"
  # An authority in place of Let's Encrypt, which cannot reach this network.
  inside sh -ec 'mkdir -p /etc/letsencrypt/live/centre.example && cd /tmp
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=Test" -keyout ca.key -out ca.crt
    openssl req -newkey rsa:2048 -nodes -subj /CN=centre.example -keyout key.pem -out request
    printf "subjectAltName=DNS:centre.example" >names
    openssl x509 -req -in request -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile names -out leaf
    cp key.pem /etc/letsencrypt/live/centre.example/privkey.pem
    cat leaf ca.crt >/etc/letsencrypt/live/centre.example/fullchain.pem
    cp ca.crt /usr/local/share/ca-certificates/test.crt && update-ca-certificates
    echo "10.77.46.1 centre.example" >>/etc/hosts' >/dev/null 2>&1
  as_root cp "$tree/tmp/ca.crt" "$work/authority.crt"
  for name in measured-box-1 measured-box-2 measured-box-3; do
    as_root cp -a "$tree" "$work/$name"
  done
  inside apt-get install -qq --no-install-recommends nginx-light >/dev/null
  lines centre-nginx docs/centre.md | as_root tee "$tree/etc/nginx/conf.d/centre.conf" >/dev/null
  lines centre-settings docs/centre.md | as_root tee "$tree/etc/measured/measured.yaml" >/dev/null

  say "the centre"
  follow_centre measured-centre centre-start | tee "$work/claim"
  at measured-centre nginx
  page_of_centre claim "$(grep -oE 'enter [0-9A-Za-z-]+' "$work/claim" | tail -n 1 | sed 's/.* //')"
  check "the first person has signed in" page_of_centre get /morning >/dev/null
  at measured-centre su --login kim --command 'measured plan zone Europe/Berlin'
  follow_centre measured-centre centre-invite | tee "$work/invitations"
  follow_centre measured-centre centre-invite '/--people/!d' | tee -a "$work/invitations"

  say "three boxes"
  for number in 1 2 3; do
    name="measured-box-$number"
    if [ "$number" = 1 ]; then
      printf 'timeZone: Europe/Berlin\npatients: [{id: anna, name: {given: Anna}}]\ntasks: []\n' |
        as_root tee "$work/$name/home/kim/plan.yaml" >/dev/null
      at "$name" systemctl restart measured
      at "$name" su --login kim --command 'measured plan import plan.yaml'
    fi
    follow_centre "$name" centre-join "s/[0-9A-Z]{4}(-[0-9A-Z]{4}){2}/$(code "$number")/"
  done
  within_a_minute "every person has a row in the morning" shows_everybody

  say "a reading of each"
  for number in 1 2 3; do
    name="measured-box-$number"
    within_a_minute "box $number knows whose it is" has_person "$name"
    as_root sed "s/5C:CA:D3:70:D4:A2/5C:CA:D3:70:D4:B$number/;1s/\"start\":\"[^\"]*\"/\"start\":\"$(date -d '-5 minutes' --iso-8601=seconds)\"/" \
      "$root/Examples/weigh-in.jsonl" | as_root tee "$work/$name/home/kim/weigh-in.jsonl" >/dev/null
    at "$name" su --login kim --command \
      'measured replay weigh-in.jsonl --store /var/lib/measured/measured.sqlite'
  done
  within_a_minute "a reading of each is on the page Morning" measured_everywhere

  say "tasks"
  person=study-1
  cat <<END | as_root tee "$work/measured-centre/home/kim/plan.yaml" >/dev/null
timeZone: Europe/Berlin
patients: [{id: $person, name: {given: Kim}}]
tasks:
  - {id: walk, patient: $person, title: Walk, schedule: [{start: 2026-01-01, interval: {days: 1}, duration: allDay}]}
  - {id: drink, patient: $person, title: Drink, schedule: [{start: 2026-01-01, interval: {days: 1}, duration: allDay}]}
END
  at measured-centre su --login kim --command 'measured plan import plan.yaml'
  at measured-box-2 su --login kim --command 'measured sync now'
  within_a_minute "a task of the centre is at the box" has_tasks measured-box-2
  # The first open task of the page, in the order of the plan.
  page_of_centre send "/today?patient=$person" /done >/dev/null
  at measured-box-2 su --login kim --command 'measured sync now'
  within_a_minute "what is ticked at the centre is done at the box" is_done measured-box-2 walk
  page_of_box measured-box-2 send /today /done >/dev/null
  within_a_minute "what is ticked at the box is done at the centre" is_done measured-centre drink
  end_centre
  trap - EXIT
}
