#!/bin/bash
# Tries a program as it is installed, on the demo capture: trial.sh DEMO PROGRAM [WORD...]. Silent when all is as it should
# be; else it says what was tried and what came of it, and ends with exit code 1.
demo=$1
shift
program=("$@")
api=127.0.0.1:8081

try() { # NAME CODES PATTERN COMMAND...
  local name=$1 codes=$2 pattern=$3 text code
  shift 3
  text=$("$@" 2>&1)
  code=$?
  [[ $code == [$codes] ]] && grep -qE -- "$pattern" <<<"$text" && return
  printf '%s: exit code %s, no line like %s: %s\n' "$name" "$code" "$pattern" "$text" | head -c 2000
  exit 1
}
ask() { # By bash alone: a small system has no client of HTTP.
  exec 3<>"/dev/tcp/${api/://}" || return
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&3
  cat <&3
}
serve() { # WORD...: the program with its API, until stop()
  "${program[@]}" "$@" --api "$api" >/tmp/serve.log 2>&1 &
  wait_for grep -q '^api listening' /tmp/serve.log
}
stop() {
  kill %1
  wait
}
wait_for() { # COMMAND...: until it succeeds
  for _ in $(seq 300); do
    "$@" && return
    sleep 0.2
  done
  cat /tmp/serve.log
  exit 1
}
has_live() { ask /v1/dialogs | grep -q seen-live; }

try version 0 '^calltap ' "${program[@]}" --version
try demo 0 'Completed +INVITE' "${program[@]}" -I "$demo"
try check 01 '^(ok|limited|missing) +program' "${program[@]}" --check
try probes 0 'probes work here' "${program[@]}" --uprobe-list

# The API loads what nothing else does.
serve -I "$demo"
try dialogs 0 '"dialogs"' ask /v1/dialogs
try metrics 0 '^service_dialogs_total' ask /metrics
try openapi 0 '"openapi"' ask /openapi.json
stop

serve -d lo
printf 'OPTIONS sip:a@b SIP/2.0\r\nCall-ID: seen-live\r\nCSeq: 1 OPTIONS\r\n\r\n' | cat >/dev/udp/127.0.0.1/5060
wait_for has_live
stop
