/**
 * An office and a far end, and between them three proxies of Kamailio, each on a host of its own: one cable from each host to
 * the next. A call goes through all of them, and so does what is spoken: a proxy's host is a router too.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { CALLER, spoken } from '../live/carrier-scenarios.ts';
import type { Owner, Running } from '../live/namespaces.ts';
import { Namespaces, run } from '../live/namespaces.ts';
import { scenarioFile } from '../live/sipp-scenarios.ts';
import { FAR_END, OPTIONS, REGISTER } from './far-phones.ts';

export const PROXIES = ['sbc1', 'sbc2', 'sbc3'] as const;
export type ProxyHost = (typeof PROXIES)[number];
/** In the order of the cables. */
const HOSTS = ['office', ...PROXIES, 'far'] as const;
export type ChainHost = (typeof HOSTS)[number];

export const AT = {
  office: '10.93.0.1',
  sbc1: '10.93.0.11',
  sbc2: '10.93.0.12',
  sbc3: '10.93.0.13',
  far: '10.93.0.21',
} as const satisfies Record<ChainHost, string>;
/** A second office, on the same host: of what it speaks, every tenth packet is lost between sbc2 and sbc3. */
export const LOSSY_OFFICE = '10.93.0.2';

const SIP_PORT = 5060;
/** Each phone has ports of its own. */
const MEDIA_PORT = 20_000;
const MEDIA_PORTS = 500;
/** Phones of SIPp take RTP at no port: what comes ends here, and no ICMP says so. */
const SILENCE = `table ip silence {
  chain c {
    type filter hook input priority 0
    udp dport 20000-29999 counter drop
  }
}
`;
const LOSS = `table ip loss {
  chain c {
    type filter hook forward priority 0
    ip saddr ${LOSSY_OFFICE} udp dport 20000-29999 numgen inc mod 10 0 counter drop
  }
}
`;

const configOf = (proxy: ProxyHost, next: string): string => `#!KAMAILIO
debug=1
log_stderror=yes
children=2
server_header="Server: ${proxy}"
listen=udp:${AT[proxy]}:${SIP_PORT}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (is_method("REGISTER")) { append_to_reply("Contact: $ct;expires=60\\r\\n"); sl_send_reply("200", "OK"); exit; }
  if (loose_route()) { t_relay(); exit; }
  if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
  record_route();
  $du = "sip:${next}:${SIP_PORT}";
  if (!t_relay()) { sl_reply_error(); }
}
`;

export class ProxyChain extends Namespaces<ChainHost> {
  #calls = 0;

  constructor(owner: Owner) {
    super(owner, HOSTS);
    for (const [i, host] of HOSTS.entries()) {
      const on = (...args: string[]): string => run('ip', ['-n', this.ns(host), ...args]);
      on('link', 'set', 'lo', 'up');
      on('addr', 'add', `${AT[host]}/32`, 'dev', 'lo');
      const next = HOSTS[i + 1];
      if (next === undefined) continue;
      const ends = [
        'link',
        'add',
        'right',
        'netns',
        this.ns(host),
        'type',
        'veth',
        'peer',
        'left',
        'netns',
        this.ns(next),
      ];
      run('ip', ends);
    }
    run('ip', ['-n', this.ns('office'), 'addr', 'add', `${LOSSY_OFFICE}/32`, 'dev', 'lo']);
    for (const [i, host] of HOSTS.entries()) this.#route(i, host);
    this.do('sbc2', 'nft', ['-f', '-'], LOSS);
    for (const host of ['office', 'far'] as const) this.do(host, 'nft', ['-f', '-'], SILENCE);
    writeFileSync(this.path('spoken.pcap'), spoken());
    for (const [name, steps] of Object.entries({ caller: CALLER, far: FAR_END, register: REGISTER, options: OPTIONS }))
      writeFileSync(this.path(`${name}.xml`), scenarioFile(name, steps));
  }

  /** The addresses are those of `lo`: a cable has none, and each knows all others by its neighbours. */
  #route(i: number, host: ChainHost): void {
    const on = (...args: string[]): string => run('ip', ['-n', this.ns(host), ...args]);
    this.do(host, 'sh', ['-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
    for (const [way, dev] of [
      [-1, 'left'],
      [1, 'right'],
    ] as const) {
      const neighbour = HOSTS[i + way];
      if (neighbour === undefined) continue;
      on('link', 'set', dev, 'up');
      on('route', 'add', `${AT[neighbour]}/32`, 'dev', dev, 'src', AT[host]);
      for (let at = i + way * 2; HOSTS[at] !== undefined; at += way) {
        const to = ['via', AT[neighbour], 'dev', dev, 'onlink', 'src', AT[host]];
        on('route', 'add', `${AT[HOSTS[at] ?? 'far']}/32`, ...to);
      }
      if (way === -1)
        on('route', 'add', `${LOSSY_OFFICE}/32`, 'via', AT[neighbour], 'dev', dev, 'onlink', 'src', AT[host]);
    }
  }

  /** The proxies and the far end. */
  async open(): Promise<void> {
    this.#sipp('far', 'far', AT.far, []);
    await this.listening('far', SIP_PORT);
    for (const [i, proxy] of PROXIES.entries()) await this.#startProxy(proxy, AT[PROXIES[i + 1] ?? 'far']);
  }

  async #startProxy(proxy: ProxyHost, next: string): Promise<void> {
    const folder = this.path(proxy);
    mkdirSync(folder);
    writeFileSync(`${folder}/proxy.cfg`, configOf(proxy, next));
    const files = ['-f', `${folder}/proxy.cfg`, '-P', `${folder}/pid`, '-Y', folder, '-w', folder];
    const running = this.start(proxy, 'kamailio', ['-DD', '-E', ...files, '-m', '32', '-M', '8']);
    await Promise.race([
      this.listening(proxy, SIP_PORT),
      running.ended.then(() => assert.fail(`kamailio ended: ${running.output()}`)),
    ]);
  }

  #sipp(host: ChainHost, scenario: string, address: string, more: readonly string[], nth = 0): Running {
    const ports = ['-p', String(SIP_PORT + nth), '-mp', String(MEDIA_PORT + nth * MEDIA_PORTS)];
    const at = ['-i', address, '-mi', address, ...ports, '-nostdin'];
    return this.start(host, 'sipp', ['-sf', this.path(`${scenario}.xml`), ...at, ...more]);
  }

  /** Lines of a scenario's first field, one after the other, so many in `everyMs`, until the chain is closed. */
  goOn(scenario: 'caller' | 'register' | 'options', fields: readonly string[], everyMs: number, from: string): Running {
    const rate = ['-r', String(fields.length), '-rp', String(everyMs)];
    return this.#from(scenario, fields, from, rate);
  }

  /** One call to a number; resolves when it is over. */
  async callOnce(number: string, callId: string, from: string = AT.office): Promise<void> {
    const running = this.#from('caller', [number], from, ['-m', '1', '-cid_str', callId, '-timeout', '60']);
    assert.equal(await running.ended, 0, running.output().slice(-3000));
  }

  #from(scenario: string, fields: readonly string[], from: string, more: readonly string[]): Running {
    const lines = this.path(`fields${++this.#calls}.csv`);
    writeFileSync(lines, `SEQUENTIAL\n${fields.map((field) => `${field};\n`).join('')}`);
    return this.#sipp('office', scenario, from, ['-inf', lines, ...more, `${AT.sbc1}:${SIP_PORT}`], this.#calls);
  }
}
