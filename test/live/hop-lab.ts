/**
 * Calls over several hops on one host: proxies of Kamailio, phones of SIPp and a back-to-back agent of baresip, each at an
 * address of its own on the loopback device, where one capture sees every hop.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { wavFile } from '../../src/protocols/codec/wav.ts';
import { until } from '../helpers/patience.ts';
import { baresipModules } from './baresip.ts';
import { AT, type Place } from './hop-cases.ts';
import type { Lab, Running } from './lab.ts';
import { scenarioFile } from './sipp-scenarios.ts';

const SIP_PORT = 5060;
const TLS_PORT = 5061;
const HEP_PORT = 9060;
const SAMPLE_RATE = 8000;

/** Gives host a all those addresses. */
export function settle(lab: Lab): void {
  const lines = Object.values(AT).map((address) => `addr add ${address}/32 dev lo`);
  lab.do('a', 'ip', ['-batch', '-'], `${lines.join('\n')}\n`);
  writeFileSync(lab.path('tone.ul'), Buffer.alloc(64_000, Buffer.from([0xff, 0x9e, 0x2a, 0x1e, 0x2a, 0x9e])));
}

/** What is lost, and when: `in` after it stood on the wire, `out` before. */
export type Loss = { readonly side: 'in' | 'out'; readonly to: Place; readonly begins?: string };

/** Datagrams that nobody gets; of a text only those that begin with it, its first four characters. */
export function lose(lab: Lab, { side, to, begins }: Loss): void {
  const hook = side === 'in' ? 'input' : 'output';
  const text = begins === undefined ? '' : ` @th,64,32 0x${Buffer.from(begins.slice(0, 4)).toString('hex')}`;
  const rule = `ip daddr ${AT[to]} udp dport ${SIP_PORT}${text} counter drop`;
  const chain = `chain c {\n type filter hook ${hook} priority 0\n ${rule}\n }`;
  lab.do('a', 'nft', ['-f', '-'], `table inet loss {\n ${chain}\n}\n`);
}

export type HopProxy = {
  readonly at: 'edge' | 'core';
  /** Where requests that open a call go: to all of them at once. */
  readonly next: readonly Place[];
  /** Takes TLS too, and mirrors what it sends and gets by HEP. */
  readonly isMirrored?: boolean;
};

function configOf({ at, next, isMirrored = false }: HopProxy): string {
  const [first, ...more] = next.map((place) => `sip:bob@${AT[place]}:${SIP_PORT}`);
  const modules = ['tm', 'sl', 'rr', 'pv', 'maxfwd', 'corex', 'textops', ...(isMirrored ? ['tls', 'siptrace'] : [])];
  const mirror = [
    `modparam("tls", "private_key", "key.pem")`,
    `modparam("tls", "certificate", "cert.pem")`,
    `modparam("tls", "tls_method", "TLSv1.2+")`,
    `modparam("siptrace", "duplicate_uri", "sip:${AT[at]}:${HEP_PORT}")`,
    'modparam("siptrace", "hep_mode_on", 1)',
    'modparam("siptrace", "hep_version", 3)',
    'modparam("siptrace", "hep_capture_id", 7)',
    'modparam("siptrace", "trace_to_database", 0)',
    'modparam("siptrace", "trace_on", 1)',
    'modparam("siptrace", "trace_mode", 1)',
  ];
  return [
    '#!KAMAILIO',
    'debug=1',
    'log_stderror=yes',
    'children=1',
    `listen=udp:${AT[at]}:${SIP_PORT}`,
    ...(isMirrored ? ['enable_tls=yes', 'tcp_children=1', `listen=tls:${AT[at]}:${TLS_PORT}`] : []),
    ...modules.map((name) => `loadmodule "${name}.so"`),
    ...(isMirrored ? mirror : []),
    'request_route {',
    '  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }',
    '  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }',
    '  if (loose_route()) { t_relay(); exit; }',
    '  record_route();',
    `  $ru = "${first}";`,
    ...more.map((uri) => `  append_branch("${uri}");`),
    '  if (!t_relay()) { sl_reply_error(); }',
    '}',
    '',
  ].join('\n');
}

export async function startProxy(lab: Lab, proxy: HopProxy): Promise<void> {
  const folder = lab.path(proxy.at);
  mkdirSync(folder);
  writeFileSync(`${folder}/proxy.cfg`, configOf(proxy));
  if (proxy.isMirrored === true) {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`];
    lab.do('a', 'openssl', ['req', '-x509', ...key, ...files, '-days', '2', '-subj', '/CN=edge']);
  }
  const files = ['-f', `${folder}/proxy.cfg`, '-P', `${folder}/pid`, '-Y', folder, '-w', folder];
  const running = lab.start('a', 'kamailio', ['-DD', '-E', ...files, '-m', '32', '-M', '8']);
  await Promise.race([
    listens(lab, proxy.at, SIP_PORT),
    running.ended.then(() => assert.fail(`kamailio ended: ${running.output()}`)),
  ]);
}

/** Waits until somebody takes datagrams at a place. */
async function listens(lab: Lab, place: Place, port: number): Promise<void> {
  await until(
    () => lab.waiting('a', port, 'udp', AT[place]) > 0,
    () => `nobody takes datagrams at ${place}`,
  );
}

function sippArguments(lab: Lab, name: string, place: Place, steps: string): string[] {
  const file = lab.path(`${name}.xml`);
  writeFileSync(file, scenarioFile(name, steps));
  const at = ['-i', AT[place], '-mi', AT[place], '-p', String(SIP_PORT), '-mp', '20000'];
  return ['-sf', file, ...at, '-m', '1', '-nostdin', '-timeout', '90'];
}

/** A phone that waits for one call. */
export async function answerAt(lab: Lab, place: Place, steps: string): Promise<Running> {
  const running = lab.start('a', 'sipp', sippArguments(lab, place, place, steps));
  await listens(lab, place, SIP_PORT);
  return running;
}

/** One call to the first hop; resolves when the caller's side has ended. */
export async function callFrom(lab: Lab, steps: string, to: Place, callId: string): Promise<void> {
  const go = ['-cid_str', callId, `${AT[to]}:${SIP_PORT}`];
  const running = lab.start('a', 'sipp', [...sippArguments(lab, 'caller', 'caller', steps), ...go]);
  assert.equal(await running.ended, 0, running.output().slice(-3000));
}

/** A tone: what a phone of baresip plays. */
function tone(folder: string): string {
  const sound = Int16Array.from(
    { length: SAMPLE_RATE },
    (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / SAMPLE_RATE),
  );
  const path = `${folder}/sound.wav`;
  writeFileSync(path, wavFile([sound], SAMPLE_RATE, { software: 'test', comment: 'tone' }, []));
  return path;
}

function baresip(lab: Lab, place: Place, accounts: readonly string[], more: readonly string[]): Running {
  const folder = lab.path(`baresip-${place}`);
  mkdirSync(folder);
  const source = place === 'b2bua' ? 'aubridge,nil' : `aufile,${tone(folder)}`;
  const config = [
    `sip_listen ${AT[place]}:${SIP_PORT}`,
    `audio_source ${source}`,
    'audio_player aubridge,nil',
    'audio_alert aubridge,alert',
    ...['ausrc', 'auplay'].flatMap((what) => [`${what}_srate ${SAMPLE_RATE}`, `${what}_channels 1`]),
    'rtp_ports 30000-30100',
    `module_path ${baresipModules()}`,
    ...['g711', 'aufile', 'aubridge'].map((name) => `module ${name}.so`),
    ...['account', 'menu', ...(place === 'b2bua' ? ['b2bua'] : [])].map((name) => `module_app ${name}.so`),
  ];
  writeFileSync(`${folder}/config`, `${config.join('\n')}\n`);
  writeFileSync(`${folder}/accounts`, `${accounts.join('\n')}\n`);
  writeFileSync(`${folder}/contacts`, '');
  return lab.start('a', 'baresip', ['-4', '-f', folder, '-v', ...more]);
}

/** An agent that takes each call and makes one of its own to the callee. */
export async function startB2bua(lab: Lab): Promise<void> {
  const common = `regint=0;audio_codecs=PCMU/8000/1`;
  const accounts = [
    `<sip:svc@${AT.b2bua}>;b2bua=inbound;${common}`,
    `<sip:out@${AT.b2bua}>;b2bua=outbound;outbound="sip:${AT.callee}:${SIP_PORT}";${common}`,
  ];
  const running = baresip(lab, 'b2bua', accounts, []);
  await lab.said(running, /baresip is ready/);
  await listens(lab, 'b2bua', SIP_PORT);
}

/** A phone that calls over TLS at once and ends, and with it its call, after so many seconds. */
export async function callOverTls(lab: Lab, seconds: number): Promise<void> {
  // It does not choose the address of its connection: the route does.
  const toEdge = ['local', AT.edge, 'dev', 'lo', 'table', 'local', 'src', AT.caller];
  lab.do('a', 'ip', ['route', 'replace', ...toEdge]);
  const outbound = `outbound="sip:${AT.edge}:${TLS_PORT};transport=tls"`;
  const account = `<sip:alice@${AT.caller};transport=tls>;${outbound};regint=0;audio_codecs=PCMU/8000/1`;
  const dial = ['-e', `/dial sip:bob@${AT.edge}`];
  await baresip(lab, 'caller', [account], ['-t', String(seconds), ...dial]).ended;
}
