/**
 * An office whose calls Kamailio hands to three carriers of SIPp, by the first digit of the number, and to the next carrier
 * where one refuses or is silent. Each carrier can be told to fail, to be slow, to lose RTP; and it can go away.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { PATIENCE_MS } from '../helpers/patience.ts';
import type { Carrier, Mood } from './carrier-scenarios.ts';
import { CALLER, CARRIER_NAMES, carrierSteps, MOODS, NUMBERS, spoken } from './carrier-scenarios.ts';
import type { Running } from './lab.ts';
import { ADDRESS, type Lab } from './lab.ts';
import { scenarioFile } from './sipp-scenarios.ts';

export const OFFICE = '10.91.0.1';
export const PROXY = ADDRESS.a.v4;
export const CARRIERS = {
  acme: '203.0.113.1',
  globex: '203.0.113.65',
  initech: '203.0.113.129',
} as const satisfies Record<Carrier, string>;

const SIP_PORT = 5060;

const KAMAILIO = `#!KAMAILIO
debug=1
log_stderror=yes
children=2
listen=udp:${PROXY}:${SIP_PORT}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "dispatcher.so"
modparam("tm", "fr_timer", 1500)
modparam("tm", "fr_inv_timer", 5000)
modparam("dispatcher", "list_file", "carriers.list")
modparam("dispatcher", "ds_ping_interval", 1)
modparam("dispatcher", "ds_ping_from", "sip:ping@${PROXY}")
modparam("dispatcher", "ds_probing_mode", 1)
modparam("dispatcher", "ds_probing_threshold", 3)
modparam("dispatcher", "xavp_dst", "_dsdst_")
modparam("dispatcher", "xavp_ctx", "_dsctx_")
request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (loose_route()) { t_relay(); exit; }
  record_route();
  $avp(set) = $(rU{s.substr,0,1}{s.int});
  $avp(tries) = 1;
  route(CARRIER);
}
route[CARRIER] {
  while (!ds_select_dst("$avp(set)", "4")) {
    if ($avp(tries) >= 3) { t_reply("503", "No Carrier"); exit; }
    $avp(tries) = $avp(tries) + 1;
    $avp(set) = $avp(set) mod 3 + 1;
  }
  t_on_failure("NEXT");
  if (!t_relay()) { sl_reply_error(); }
  exit;
}
failure_route[NEXT] {
  if (t_is_canceled() || $avp(tries) >= 3) { exit; }
  if (!t_check_status("408|5[0-9][0-9]")) { exit; }
  $avp(tries) = $avp(tries) + 1;
  $avp(set) = $avp(set) mod 3 + 1;
  route(CARRIER);
}
`;

/** Asks a carrier until it answers: it may have just been started. */
const SAY = `const [from, method, to, subject] = process.argv.slice(1);
  const socket = require('node:dgram').createSocket('udp4');
  socket.bind(0, from, () => {
    const id = method === 'OPTIONS' ? subject : Math.random().toString(36).slice(2);
    const via = 'SIP/2.0/UDP ' + from + ':' + socket.address().port + ';branch=z9hG4bK' + id;
    const headers = ['Via: ' + via, 'From: <sip:x@x>;tag=' + id, 'To: <sip:x@x>', 'Call-ID: ' + id, 'CSeq: 1 ' + method,
      'Subject: ' + subject, 'Content-Length: 0'];
    const say = () => socket.send([method + ' sip:x@' + to + ' SIP/2.0', ...headers, '', ''].join('\\r\\n'), ${SIP_PORT}, to);
    setInterval(say, 500);
    say();
  });
  socket.on('message', () => process.exit(0));
  setTimeout(() => process.exit(1), ${PATIENCE_MS});`;

export class CarrierLab {
  readonly #lab: Lab;
  readonly #running = new Map<Carrier | 'proxy' | 'caller', Running>();

  constructor(lab: Lab) {
    this.#lab = lab;
    lab.do('a', 'ip', ['addr', 'add', `${OFFICE}/32`, 'dev', 'lo']);
    lab.do('a', 'ip', ['route', 'add', '203.0.113.0/24', 'via', ADDRESS.b.v4]);
    lab.do('b', 'ip', ['route', 'add', `${OFFICE}/32`, 'via', ADDRESS.a.v4]);
    for (const address of Object.values(CARRIERS)) lab.do('b', 'ip', ['addr', 'add', `${address}/32`, 'dev', 'eth0']);
    writeFileSync(lab.path('spoken.pcap'), spoken());
    writeFileSync(lab.path('numbers.csv'), `SEQUENTIAL\n${NUMBERS.map((number) => `${number};\n`).join('')}`);
    writeFileSync(lab.path('caller.xml'), scenarioFile('caller', CALLER));
    for (const name of CARRIER_NAMES) writeFileSync(lab.path(`${name}.xml`), scenarioFile(name, carrierSteps(name)));
  }

  async start(): Promise<void> {
    for (const name of CARRIER_NAMES) await this.comes(name);
    mkdirSync(this.#lab.path('proxy'));
    writeFileSync(this.#lab.path('proxy.cfg'), KAMAILIO);
    const list = CARRIER_NAMES.map((name, i) => `${i + 1} sip:${CARRIERS[name]}:${SIP_PORT}\n`).join('');
    writeFileSync(this.#lab.path('carriers.list'), list);
    const files = ['-f', 'proxy.cfg', '-P', 'proxy/pid', '-Y', 'proxy', '-w', this.#lab.folder];
    const proxy = this.#lab.start('a', 'kamailio', ['-DD', '-E', ...files, '-m', '32', '-M', '8']);
    this.#running.set('proxy', proxy);
    await Promise.race([
      this.#lab.listening('a', SIP_PORT),
      proxy.ended.then(() => assert.fail(`kamailio ended: ${proxy.output()}`)),
    ]);
  }

  #sipp(host: 'a' | 'b', name: string, address: string, more: readonly string[]): Running {
    const at = ['-i', address, '-mi', address, '-p', String(SIP_PORT), '-mp', '20000'];
    return this.#lab.start(host, 'sipp', ['-sf', `${name}.xml`, ...at, '-nostdin', ...more]);
  }

  async comes(name: Carrier): Promise<void> {
    this.#running.set(name, this.#sipp('b', name, CARRIERS[name], []));
    await this.tell(name, 'well');
  }

  /** It is gone with all its calls, from one moment to the next. */
  async goes(name: Carrier): Promise<void> {
    await this.#stop(name, 'SIGKILL');
  }

  /** Says it on the carrier's own host, where the capture does not see it; resolves when it has answered. */
  async tell(name: Carrier, mood: Mood): Promise<void> {
    this.#lab.do('b', process.execPath, ['-e', SAY, CARRIERS[name], 'MESSAGE', CARRIERS[name], `${MOODS[mood]}`]);
  }

  /** The last that the capture sees: its Call-ID. */
  async askOnce(name: Carrier): Promise<string> {
    this.#lab.do('a', process.execPath, ['-e', SAY, PROXY, 'OPTIONS', CARRIERS[name], 'the-end']);
    return 'the-end';
  }

  /** Every tenth packet of RTP that comes from this carrier never does. */
  lose(name: Carrier): void {
    const rule = `ip saddr ${CARRIERS[name]} udp sport 20000-29999 numgen inc mod 10 0 counter drop`;
    const chain = `chain c {\n type filter hook egress device eth0 priority 0\n ${rule}\n }`;
    this.#lab.do('b', 'nft', ['-f', '-'], `table netdev loss {\n ${chain}\n}\n`);
  }

  loseNothing(): void {
    this.#lab.do('b', 'nft', ['delete', 'table', 'netdev', 'loss']);
  }

  /** Calls from now on, so many a second. */
  call(perSecond: number): void {
    const more = ['-inf', 'numbers.csv', '-r', String(perSecond), `${PROXY}:${SIP_PORT}`];
    this.#running.set('caller', this.#sipp('a', 'caller', OFFICE, more));
  }

  /** No more calls; resolves when the last one is over. */
  async callNoMore(): Promise<void> {
    await this.#stop('caller', 'SIGUSR1');
  }

  async stop(): Promise<void> {
    await this.#stop('proxy', 'SIGTERM');
  }

  async #stop(name: Carrier | 'proxy' | 'caller', signal: NodeJS.Signals): Promise<void> {
    const running = this.#running.get(name);
    assert.ok(
      running !== undefined && running.child.exitCode === null,
      `${name} ended: ${running?.output().slice(-3000)}`,
    );
    await this.#lab.stop(running, signal);
  }
}
