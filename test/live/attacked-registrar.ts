/**
 * A Kamailio that attackers meet, and what calltap says about them: lines of --fail2ban with the times of the capture, and
 * the capture itself to hold them against.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { PASSWORD } from './attack-peers.ts';
import type { Lab, Running } from './lab.ts';
import { ADDRESS, Agent } from './lab.ts';

/** An address of the registrar that challenges everybody alike, as a careful one does; the others tell who exists. */
export const STRICT = { v4: '10.90.0.3', v6: 'fd90::3' } as const;
export const WEBSOCKET_PORT = 8080;

/** Numbers that exist, and those a trunk reaches. */
const EXISTS = '^2[0-9][0-9][0-9]$';
const REACHED = '^[+]4930[0-9]*[1-46-9]$';

function configuration(more: readonly string[]): string {
  const webSocket = [ADDRESS.a.v4, STRICT.v4, `[${ADDRESS.a.v6}]`, `[${STRICT.v6}]`];
  const addresses = [...webSocket, ...more];
  return `#!KAMAILIO
debug=0
log_stderror=yes
children=1
tcp_children=2
tcp_accept_no_cl=yes
tcp_connection_lifetime=3605
${addresses.map((address) => `listen=udp:${address}:5060\nlisten=tcp:${address}:5060`).join('\n')}
${webSocket.map((address) => `listen=tcp:${address}:${WEBSOCKET_PORT}`).join('\n')}
loadmodule "sl.so"
loadmodule "pv.so"
loadmodule "textops.so"
loadmodule "auth.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "tm.so"
loadmodule "xhttp.so"
loadmodule "websocket.so"
modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", 5)
request_route {
  if (is_method("ACK")) exit;
  if ($Ri == "${STRICT.v4}" || $Ri == "${STRICT.v6}") {
    if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
    if (is_method("REGISTER")) {
      if (!($tU =~ "${EXISTS}") || !pv_www_authenticate("lab", "${PASSWORD}", "0")) { www_challenge("lab", "0"); exit; }
      save("location");
      exit;
    }
    if (!pv_proxy_authenticate("lab", "${PASSWORD}", "0")) { proxy_challenge("lab", "0"); exit; }
    sl_send_reply("404", "Not Found");
    exit;
  }
  if (is_method("REGISTER")) {
    if (!($tU =~ "${EXISTS}")) { sl_send_reply("404", "Not Found"); exit; }
    if ($Ri =~ "^10[.]90[.]0[.]2..$") {
      # As other servers challenge: some tools end at one that names no algorithm and no qop.
      append_to_reply("WWW-Authenticate: Digest algorithm=MD5, realm=\\"lab\\", nonce=\\"$Ts$Tb\\", qop=\\"auth\\"\\r\\n");
      sl_send_reply("401", "Unauthorized");
      exit;
    }
    if (!pv_www_authenticate("lab", "${PASSWORD}", "0")) { www_challenge("lab", "0"); exit; }
    save("location");
    exit;
  }
  if (is_method("BYE|CANCEL") && $tt == $null) { sl_send_reply("481", "No Such Call"); exit; }
  if (is_method("BYE")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("INVITE|OPTIONS") && ($rU == $null || $rU =~ "${EXISTS}" || $rU =~ "${REACHED}")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("INVITE|OPTIONS")) { sl_send_reply("404", "Not Found"); exit; }
  sl_send_reply("405", "Method Not Allowed");
}
event_route[xhttp:request] {
  if ($hdr(Upgrade) =~ "websocket" && $rm == "GET" && ws_handle_handshake()) exit;
  xhttp_reply("404", "Not Found", "", "");
}
`;
}

/** Kamailio on host a, at its addresses, the strict one and \`more\`. */
export async function startRegistrar(lab: Lab, more: readonly string[] = []): Promise<Running> {
  const four = [STRICT.v4, ...more].map((address) => `addr add ${address}/24 dev eth0`);
  lab.do('a', 'ip', ['-batch', '-'], `${[...four, `addr add ${STRICT.v6}/64 dev eth0 nodad`].join('\n')}\n`);
  writeFileSync(lab.path('registrar.cfg'), configuration(more));
  const config = ['-f', lab.path('registrar.cfg'), '-P', lab.path('pid'), '-Y', lab.folder];
  const registrar = lab.start('a', 'kamailio', ['-DD', '-E', ...config, '-m', '32', '-M', '8']);
  await Promise.race([
    Promise.all([lab.listening('a', 5060), lab.listening('a', WEBSOCKET_PORT, 'tcp')]),
    registrar.ended.then(() => assert.fail(`kamailio ended: ${registrar.output()}`)),
  ]);
  return registrar;
}

export type Report = {
  readonly kind: string;
  readonly from: string;
  /** What is banned. */
  readonly banned: string;
  /** Of the capture. */
  readonly atMs: number;
};

/** calltap with the options under which it looks for attackers, and the reports so far. */
export class Watch {
  readonly agent: Agent;
  readonly reports: Report[] = [];
  readonly #file: string;

  private constructor(agent: Agent, file: string) {
    this.agent = agent;
    this.#file = file;
  }

  /** `onLines` gets what would be appended to the log that fail2ban reads. */
  static async start(lab: Lab, onLines: (text: string) => void = () => undefined): Promise<Watch> {
    const file = lab.path('attack.pcap');
    const agent = await Agent.start(
      lab,
      ['-d', 'eth0', '--kill-scanner', '--fail2ban', '-O', file],
      /capturing on eth0/,
    );
    const watch = new Watch(agent, file);
    agent.running.child.stdout?.on('data', (data: Buffer) => {
      const text = data.toString();
      onLines(text);
      for (const [, at = '', kind = '', from = '', net] of text.matchAll(
        /^(\S+) calltap\[\d+\]: (SCANNER|REG_FLOOD) from=(\S+)(?: net=(\S+))? /gm,
      ))
        watch.reports.push({ kind, from, banned: net ?? from, atMs: Date.parse(at) });
    });
    return watch;
  }

  /** The reports that name one of these addresses. */
  of(...sources: readonly string[]): Report[] {
    const wanted = sources.map(inFull);
    return this.reports.filter(({ from }) => wanted.includes(inFull(from)));
  }

  /** One source has at most one line a second. */
  assertRate(): void {
    const last = new Map<string, Report>();
    for (const report of this.reports) {
      const before = last.get(report.banned);
      if (before !== undefined)
        assert.ok(report.atMs - before.atMs >= 1000, `${JSON.stringify(before)} and ${JSON.stringify(report)}`);
      last.set(report.banned, report);
    }
  }

  /** When each packet of a source with something in it was captured; after the agent has ended. */
  sent(): Map<string, number[]> {
    const data = readFileSync(this.#file);
    const sent = new Map<string, number[]>();
    // Microseconds, or nanoseconds.
    const fractions = data.readUInt32LE() === 0xa1b2c3d4 ? 1000 : 1_000_000;
    for (let at = 24; at + 16 <= data.length; at += 16 + data.readUInt32LE(at + 8)) {
      const atMs = data.readUInt32LE(at) * 1000 + data.readUInt32LE(at + 4) / fractions;
      const source = sourceOf(data.subarray(at + 16, at + 16 + data.readUInt32LE(at + 8)));
      if (source !== '') sent.set(source, [...(sent.get(source) ?? []), atMs]);
    }
    return sent;
  }
}

const TCP = 6;

/** The source address of an Ethernet frame with IP in it, written in full; empty for a TCP segment without payload. */
function sourceOf(frame: Buffer): string {
  const type = frame.readUInt16BE(12);
  if (type === 0x0800) {
    const headerBytes = (frame.readUInt8(14) & 15) * 4;
    const isEmpty = isEmptyTcp(frame, frame.readUInt8(23), 14 + headerBytes, 14 + frame.readUInt16BE(16));
    return isEmpty ? '' : frame.subarray(26, 30).join('.');
  }
  if (type !== 0x86dd || isEmptyTcp(frame, frame.readUInt8(20), 54, 54 + frame.readUInt16BE(18))) return '';
  return [0, 2, 4, 6, 8, 10, 12, 14].map((at) => frame.readUInt16BE(22 + at).toString(16)).join(':');
}

/** Whether what goes from `at` to `end` is a TCP segment of a header alone. */
function isEmptyTcp(frame: Buffer, protocol: number, at: number, end: number): boolean {
  return protocol === TCP && at + (frame.readUInt8(at + 12) >> 4) * 4 >= end;
}

/** An address as `sent` writes it. */
export function inFull(address: string): string {
  if (!address.includes(':')) return address;
  const [left = '', right = ''] = address.split('::');
  const parts = (text: string): string[] => text.split(':').filter(Boolean);
  const zeros = 8 - parts(left).length - parts(right).length;
  return [...parts(left), ...Array<string>(address.includes('::') ? zeros : 0).fill('0'), ...parts(right)].join(':');
}
