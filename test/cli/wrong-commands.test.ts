/**
 * Commands that operators type who come from sngrep, tcpdump, tshark and others, or who mistyped: one line of standard error says
 * what to write, and nothing is captured.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMO, run } from './run-program.ts';

/** Words with their blanks in quotes are one argument, as in a shell. */
const WRONG: readonly (readonly [command: string, answer: string, code?: 1 | 2])[] = [
  // An interface without its option.
  ['lo', 'lo: no file has this name; write -d lo to capture there'],
  ['-i lo', 'write -d lo to capture there, and -i -d lo for the screen'],
  ['eth77', 'this host has no such interface either: calltap alone lists them, -d any captures on all'],
  ['-d any lo', 'write -d lo to capture there'],
  ['any', 'write -d any to capture there'],
  ['--interface lo', '--interface: there is no such option; write -d lo'],
  ['--iface=lo', 'write -d lo'],
  ['-D', 'write calltap alone to list the interfaces'],
  ['--list-interfaces', 'write calltap alone: it lists the interfaces'],
  ['-d eth77', 'there is no such interface', 1],
  // tcpdump.
  ['-w out.pcap -d any', '-w: there is no such option; write -O out.pcap'],
  ['-r calls.pcap', '-r: there is no such option; write calltap calls.pcap: a capture needs no option'],
  ['-nn -d any', '-n: there is no such option; leave it out: calltap looks up no names'],
  ['-s0 -d any', 'leave it out: calltap takes whole packets'],
  ['-s 65535', 'leave it out: calltap takes whole packets'],
  ['port 5080', "write --portrange 5080 to look for SIP there, or --bpf 'port 5080', which leaves RTP out"],
  ['host 192.0.2.1 and port 5060', "write --bpf 'host 192.0.2.1 and port 5060'"],
  ['-d any host 192.0.2.1', "write --bpf 'host 192.0.2.1'"],
  ["'udp port 5060'", "--bpf 'udp port 5060'"],
  ['udp', 'write --bpf udp'],
  ['not host 192.0.2.1', "write --bpf 'not host 192.0.2.1'"],
  ['-C 100 -W 10 -O x.pcap', 'write -O FILE --split 100M'],
  ['-W 10', 'write -O FILE --split 100M --keep 10'],
  ['-G 3600 -O x.pcap', 'write -O FILE --split 3600s'],
  ['-c 5 -d any', 'write --limit 5: it ends after so many calls'],
  ['-A', 'write --messages all'],
  ['-X', 'write --messages all'],
  ['-vvv', 'write --messages all to see more, --filter -WORD to leave calls out, or -V for the version'],
  ['-l -d any', 'calltap writes each line and each packet at once'],
  ['-q -d any', 'leave it out: calltap says only what went wrong'],
  ['-U', 'calltap writes each line and each packet at once'],
  ['-Z nobody', 'write --user nobody'],
  ['-p', 'write --no-promisc'],
  // tshark.
  ['-d udp.port==5080,sip', 'write --portrange PORT to read SIP there'],
  ['-Y sip.Method', 'write --filter sip.Method; --help filter has the keys'],
  ["-f 'port 5060'", 'write --bpf EXPR for a filter of packets'],
  ['-z sip,stat', 'write --show findings: it counts final codes'],
  ['-q -z rtp,streams', 'leave it out'],
  ['-z rtp,streams', 'write --columns callid,codec,mos,loss,jitter, or --quality CALL'],
  ['-z voip,calls', 'write calltap FILE: the table has a line a call'],
  ['-T fields -e sip.Call-ID', 'write --csv or --json; --columns LIST chooses the fields'],
  ['-a duration:60', 'write --for 60s'],
  ['-b filesize:100', '--split 100M'],
  // sngrep, voipmonitor, heplify.
  ['-R -d any', 'the oldest dialogs give room by themselves'],
  ['-k server.key', 'write --uprobe: it reads SIP over TLS at the server'],
  ['-B 64', 'leave it out: the rings are large'],
  ['--eep-send 192.0.2.9:9060', 'write -H 192.0.2.9:9060'],
  ['--rotate', 'the oldest dialogs give room by themselves'],
  ['--icase', 'leave it out: filters take no notice of case'],
  ['--invert', 'write --filter -WORD'],
  ['--config-file /etc/v.conf', 'write --config /etc/v.conf'],
  ['--dump-config', 'write --print-config'],
  // What one looks for.
  ['33199', 'write --filter 33199'],
  ['+4930123456', 'write --filter +4930123456'],
  ['192.0.2.9', 'write --filter ip:192.0.2.9'],
  ['503', 'write --filter code:503'],
  ['from:2001', 'write --filter from:2001'],
  ['failed', 'write --filter state:Failed'],
  ['INVITE', 'write --filter method:INVITE'],
  ['--from 2001', 'write --filter from:2001'],
  ['--status 503', 'write --filter code:503'],
  ['--host 192.0.2.9', 'write --filter ip:192.0.2.9'],
  ['--port 5080', 'write --portrange 5080'],
  ['--failed', 'write --filter state:Failed'],
  ['--count 5', 'write --limit 5'],
  ['--duration 60s', 'write --for 60s'],
  ['--format csv', 'write --csv or --json'],
  ['--web', 'write --api 127.0.0.1:8080 --console'],
  ['--stats', 'write --stats-json, --show findings or --trunks'],
  ['--report busy', 'write --call-report busy'],
  ['http://pbx:8080', 'write --connect http://pbx:8080 to look at a running service'],
  ['127.0.0.1:8080', 'write --api 127.0.0.1:8080 to serve'],
  ['help', 'write calltap -h'],
  ['serve', 'write --api 127.0.0.1:8080 --console'],
  ['--help nosuch', 'give one of options, filter, findings'],
  // Ours, not quite.
  ['--call-reprot busy', 'did you mean --call-report?'],
  ['nosuch.pcap', 'nosuch.pcap: there is no such file; check the path', 1],
  [`${DEMO} --trunk acme=192.0.2.10`, 'name and address are the wrong way round, and 192.0.2.10=acme is right'],
  [`${DEMO} --name acme=192.0.2.10`, 'name and address are the wrong way round, and 192.0.2.10=acme is right'],
  [`${DEMO} --for 60s`, '--for: a capture file ends by itself; leave it out, or add -d IFACE'],
  [`-d any -O x --split 100M --keep 24h`, '--split begins files by their size, not by time; write --split 1h'],
  [`${DEMO} --csv --json`, '--csv: it cannot be combined with --json; give one of them'],
  [`${DEMO} --columns nosuch`, 'row started'],
  [`${DEMO} --sort nosuch`, 'give one of created'],
  [`${DEMO} --show calls`, 'give one of findings, registrations, attackers, trunks'],
  [`${DEMO} --wav busy`, 'add --to PATH'],
  [`${DEMO} --call-report bsy@pbx`, '--call-report', 1],
  [`${DEMO} -d lo`, 'a run reads capture files or live sources, not both'],
  ['-L 9060', '-L: it requires -E; add -E'],
  ['--diag-no-media 5', 'write no_media = SECS under [diagnosis] in the file of --config'],
  ['--api-tls-cert x', 'end TLS in a reverse proxy'],
  ['--json', 'name a capture file, or give an interface with -d IFACE'],
];

function argumentsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
}

test('there are at least sixty, each once', () => {
  assert.ok(WRONG.length >= 60);
  assert.equal(new Set(WRONG.map(([command]) => command)).size, WRONG.length);
});

for (const [command, answer, code = 2] of WRONG)
  test(`calltap ${command.replace(DEMO, 'demo.pcap')}`, async () => {
    const r = await run(argumentsOf(command));
    assert.deepEqual([r.code, r.stdout], [code, ''], r.stderr);
    assert.match(r.stderr, /^calltap: [^\n]+\n$/);
    assert.ok(r.stderr.includes(answer), r.stderr);
    assert.ok(r.stderr.length < 300, `${r.stderr.length} characters`);
  });
