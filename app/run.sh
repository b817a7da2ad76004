#!/bin/bash
# Makes the settings of the app's options and of the broker that the Supervisor knows, and starts the daemon.
set -euo pipefail
umask 077
options="${OPTIONS:-/data/options.json}"
folder="${FOLDER:-/data}"
program="${PROGRAM:-measured}"
supervisor="${SUPERVISOR:-http://supervisor}"

ask() { curl --silent --fail --max-time 30 -H "Authorization: Bearer $SUPERVISOR_TOKEN" "$supervisor/$1"; }

settings="$folder/measured.yaml"
{
  echo "store: $folder/measured.sqlite"
  # JSON is YAML: what people typed stays a text.
  jq -r '"page: " + ({listen: "0.0.0.0:8473", ingress: {address: "172.30.32.2",
    accounts: ([.accounts[]? | {key: .id, value: .account}] | from_entries)}} | tojson)' "$options"
  if broker="$(ask services/mqtt 2>/dev/null)"; then
    jq -r '.data.password // ""' <<<"$broker" >"$folder/broker-password"
    printf '%s' "$SUPERVISOR_TOKEN" >"$folder/home-token"
    jq -r --argjson people "$(jq -c 'if (.people // []) == [] then "all" else .people end' "$options")" \
      --arg folder "$folder" --arg core "$supervisor/core" '"outlets: " + ({home: {kind: "mqtt",
        address: ((if .data.ssl then "mqtts" else "mqtt" end) + "://" + .data.host + ":" + (.data.port | tostring)),
        people: $people, user: .data.username, secretFile: ($folder + "/broker-password"),
        server: $core, tokenFile: ($folder + "/home-token")}} | tojson)' <<<"$broker"
  fi
} >"$settings.new"
mv "$settings.new" "$settings"
exec "$program" run --settings "$settings"
