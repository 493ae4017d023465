# Generated from src/config/options.ts; do not edit it by hand.
# shellcheck shell=bash disable=SC2207
_calltap() {
  local word="$2" before="$3"
  COMPREPLY=()
  case "$before" in
    -I|--input|--hep-listen-cert|--hep-listen-key|--hep-listen-client-ca|--hep-ca|--hep-cert|--hep-key|--uprobe-offsets|-O|--output|--ship-password-file|--ship-ca|--names|--to|--peer-ctl|--peer-db|--api-key-file|--ca|--api-signing-key-file|--api-revoked-file|--metrics-auth-file|--syslog-socket|--store-password-file|--store-ca|--config|--log)
      COMPREPLY=($(compgen -f -- "$word"))
      compopt -o filenames 2>/dev/null
      return ;;
    -d|--device)
      COMPREPLY=($(compgen -W "any $(command ls /sys/class/net 2>/dev/null)" -- "$word"))
      return ;;
    --ship-messages)
      COMPREPLY=($(compgen -W "none headers full" -- "$word"))
      return ;;
    --sort)
      COMPREPLY=($(compgen -W "created -created updated -updated duration -duration pdd -pdd mos -mos loss -loss" -- "$word"))
      return ;;
    --color)
      COMPREPLY=($(compgen -W "auto always never" -- "$word"))
      return ;;
    --show)
      COMPREPLY=($(compgen -W "findings registrations attackers trunks overview" -- "$word"))
      return ;;
    --token-scope)
      COMPREPLY=($(compgen -W "full metrics" -- "$word"))
      return ;;
    --alert)
      COMPREPLY=($(compgen -W "syslog" -- "$word"))
      return ;;
    -h|--help)
      COMPREPLY=($(compgen -W "options filter findings" -- "$word"))
      return ;;
    --bpf|-L|--hep-listen|--hep-allow|--hep-rate-limit|--hep-auth|-H|--hep-send|--hep-spool|--hep-spool-bytes|--hep-id|--hep-node|--hep-send-auth|--uprobe|--uprobe-comm|--uprobe-ring-bytes|--for|--split|--keep|--anonymize|--anonymize-keep|--user|--portrange|--ws-portrange|--ship|--ship-host|--ship-user|--ship-password|--ship-spool|--ship-spool-bytes|--filter|--limit|--columns|--name|--call-report|--ladder|--messages|--quality|--compare|--wav|--span|--sipp|--show-frame|--api|--api-max-rows|--api-max-conn|--metrics|--metrics-families|--api-key|--api-signing-key|--api-token-ttl|--token-id|--mcp-signing-key|--metrics-auth|--quality-interval|--trunk|--trunk-local|--trunk-down-after|--trunk-ner|--trunk-mos|--trunk-pdd|--trunk-registrations|--trunk-limit|--device-class|--country-code|--call-id-header|--lint-suppress|--audio-bytes|--on-dialog-exec|--on-quality-exec|--on-trunk-exec|--quality-threshold|--exec-rate-limit|--kill-ua|--kill-response|--security-peer|--fraud-night|--store|--store-user|--cluster|--agent|--agent-key-file|--agent-ca|--max-dialogs|--max-streams|--message-log-bytes|--connect)
      return ;;
  esac
  COMPREPLY=($(compgen -W "-d --device --no-promisc -I --input --bpf -L --hep-listen -E --hep-decode --hep-listen-cert --hep-listen-key --hep-listen-client-ca --hep-allow --hep-rate-limit --hep-auth -H --hep-send --hep-failover --hep-rtp-reports --export-uprobe --hep-ca --hep-cert --hep-key --hep-spool --hep-spool-bytes --hep-id --hep-node --hep-send-auth --uprobe --uprobe-comm --uprobe-offsets --uprobe-ring-bytes --uprobe-list --check --for -O --output --split --keep --no-history --anonymize --keep-audio --anonymize-keep --user --portrange --ws-portrange --decode-esp-null --ship --ship-messages --ship-host --ship-user --ship-password --ship-password-file --ship-ca --ship-spool --ship-spool-bytes --filter --sort -c --calls --limit --columns --csv --color --names --name --utc --json --stats-json --call-report --ladder --messages --quality --show --trunks --overview --compare --legs --no-body --raw --show-secrets --wav --span --sipp --to --force --markdown --html --show-frame --api --ask --console --mcp --api-max-rows --api-max-conn --metrics --metrics-families --metrics-exemplars --peer-ctl --peer-db --api-key --api-key-file --ca --api-signing-key --api-signing-key-file --api-token-ttl --api-revoked-file --mint-token --token-id --token-scope --mcp-signing-key --metrics-auth --metrics-auth-file --quality-interval --trunk --trunk-local --trunk-down-after --trunk-ner --trunk-mos --trunk-pdd --trunk-registrations --trunk-limit --device-class --country-code --call-id-header --lint-suppress --retain-audio --audio-bytes --stir-shaken --on-dialog-exec --on-quality-exec --on-trunk-exec --quality-threshold --exec-rate-limit --kill-scanner --kill-ua --kill-response --fail2ban --alert --syslog --syslog-socket --security-peer --security-mirrored --fraud --fraud-night --hub --migrate --store --store-user --store-password-file --store-ca --cluster --agent --agent-key-file --agent-ca --max-dialogs --max-streams --message-log-bytes --config --print-config -V --version -h --help -i --interactive --mcp-stdio --connect --log -N --no-interface" -- "$word"))
}
complete -F _calltap calltap
