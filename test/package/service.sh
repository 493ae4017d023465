#!/bin/sh
# Runs in a guest whose first program is systemd, with the package installed: the service as it is shipped, then with TLS
# probes. Prints `ok CLAIM: words` or `not ok CLAIM: why` on the line that the kernel's command line names, then `end`.
results=/dev/$(sed 's/.*results=\(\w*\).*/\1/' /proc/cmdline)
stty -F "$results" raw -echo
exec >"$results" 2>&1 </dev/null
cd /root || exit

claim() { # NAME CONDITION WORDS
  words=$(echo "$3" | tr '\n' ' ')
  if [ "$2" = yes ]; then echo "ok $1: $words"; else echo "not ok $1: $words"; fi
}
has() { case "$1" in *"$2"*) echo yes ;; *) echo no ;; esac }
said() { journalctl --unit calltap --no-pager --output cat; }
ask() { curl -sS -H "Authorization: Bearer $key" "http://127.0.0.1:8080/v1/$1"; }
# Asks until a command prints a text, for as long as an emulator on a busy host may take.
wait_for() {
  for _ in $(seq 300); do
    case "$("$@" 2>&1)" in *"$text"*) return ;; esac
    sleep 1
  done
}
message() { printf '%s\r\nVia: SIP/2.0/TLS x.invalid;branch=z9hG4bK1\r\nFrom: <sip:a@x.invalid>;tag=1\r\nTo: <sip:b@x.invalid>%s\r\nCall-ID: %s\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n' "$@"; }

echo "kernel $(uname -r)"
ip link set lo up
key=$(cat /etc/calltap/key)
systemctl enable --now --quiet calltap
text=schema_version wait_for ask stats
state=$(systemctl show calltap --property ActiveState,NRestarts,User,MemoryMax | tr '\n' ' ')
claim service "$(has "$state" ActiveState=active)" "$state"
claim filter "$(has "$(said)" 'filter: ebpf')" "$(said | grep filter)"

message 'OPTIONS sip:b@x.invalid SIP/2.0' '' live >live.txt
bash -c 'cat live.txt >/dev/udp/127.0.0.1/5060'
text='"live"' wait_for ask dialogs
claim live "$(has "$(ask dialogs)" '"call_id":"live"')" "$(ask dialogs)"

drop_in=tls-probes
[ "$(printf '6.6\n%s\n' "$(uname -r)" | sort -V | head -1)" = 6.6 ] || drop_in=old-kernels
install -D -m 644 -t /etc/systemd/system/calltap.service.d \
  /usr/share/doc/calltap/examples/calltap.service.d/$drop_in.conf
sed -i 's/^#uprobe = .*/uprobe = "all"/' /etc/calltap.toml
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -subj /CN=x -days 2 2>openssl.log
mkfifo to-server to-client
openssl s_server -accept 127.0.0.1:5061 -cert c.pem -key k.pem -quiet <>to-server >server.txt 2>&1 &
systemctl daemon-reload
systemctl restart calltap
text='uprobe ready' wait_for said
openssl s_client -connect 127.0.0.1:5061 -quiet <>to-client >client.txt 2>&1 &
message 'OPTIONS sip:b@x.invalid SIP/2.0' '' tls >to-client
text=OPTIONS wait_for cat server.txt
message 'SIP/2.0 200 OK' ';tag=2' tls >to-server
text='200 OK' wait_for cat client.txt
text='"msg_count":2' wait_for ask dialogs/tls
dialog=$(ask dialogs/tls)
case "$dialog" in *'"msg_count":2'*'"input_origin":"uprobe"'*) seen=yes ;; *) seen=no ;; esac
claim "TLS exchange ($drop_in)" $seen "$dialog $(said | grep uprobe:)"

systemctl stop calltap
state=$(systemctl show calltap --property ActiveState,Result,ExecMainStatus | tr '\n' ' ')
claim stop "$(has "$state" 'ExecMainStatus=0')" "$state"
echo 'end 0'
systemctl poweroff --force
