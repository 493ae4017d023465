/** Which options need, exclude or contradict others, as a table. The first row that is broken is the mistake. */

import { statSync } from 'node:fs';
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import { hubConflict, OF_COMMAND } from './hub-options.ts';
import type { Effective } from './layers.ts';
import type { OptionSpec, RowValues } from './option-spec.ts';
import { writtenOption } from './option-spec.ts';
import { oneLine, optionValueText } from './option-value.ts';
import type { Flag, TABLE } from './options.ts';
import { optionByFlag } from './options.ts';
import { SHIP_OPTIONS, shipConflict } from './ship-options.ts';
import { MAX_COLLECTORS } from './source-options.ts';

type Config = RowValues<typeof TABLE>;

type Texts = { readonly reason?: string; readonly remedy?: string };

type Condition = {
  /** Where one of these is given, the row says nothing. */
  readonly unless?: readonly Flag[];
  /** In the environment or the file the option may be meant for other starts: the row is for the command line alone. */
  readonly isForFlags?: true;
};

/** The option means nothing without one of these. */
type Need = Texts &
  Condition & {
    readonly option: Flag;
    readonly needs: readonly Flag[];
    /** Where something else will do as well. */
    readonly isMet?: (config: Config) => boolean;
  };
/** The option cannot stand beside one of these. */
type Exclusion = Texts & Condition & { readonly option: Flag; readonly excludes: readonly Flag[] };
/** What hangs on values. */
type Check = Condition & { readonly check: (config: Config, effective: Effective) => ServiceError | null };

/** Each of them decides what standard output is. */
const OUTPUTS = [
  ...([
    'json',
    'csv',
    'stats-json',
    'call-report',
    'ladder',
    'messages',
    'quality',
    'show',
    'compare',
    'wav',
    'sipp',
    'interactive',
    'mcp-stdio',
  ] as const),
  ...(['show-frame', 'mint-token'] as const),
] as const;
const LIVE = ['device', 'hep-listen', 'uprobe'] as const;
/** These read no capture. */
const NO_CAPTURE = ['mint-token', 'uprobe-list', 'check', 'connect', 'hub'] as const;
/** What goes with a screen over a running service; all else is a matter of that service. */
const OF_CONNECT: readonly string[] = [
  ...(['connect', 'filter', 'sort', 'utc', 'color', 'api-key', 'api-key-file', 'ca'] as const),
  ...(['config', 'print-config', 'mcp-stdio'] as const),
] satisfies readonly Flag[];
const SIGNING_KEYS = ['api-signing-key', 'api-signing-key-file', 'mcp-signing-key'] as const;

/** True when an option asks for the detection of scanners; syslog beside --fraud asks for the alerts of that alone. */
export function looksForScanners({ killScanner, killUa, fail2ban, alert, fraud }: Config): boolean {
  return killScanner || killUa !== null || fail2ban || (alert === 'syslog' && !fraud);
}

const RULES: readonly (Need | Exclusion | Check)[] = [
  { check: connectConflict },
  { check: (config, effective) => hubConflict(config, (known) => strangerTo(known, effective)) },
  ...OF_COMMAND.map((option) => ({
    option,
    needs: ['hub'] as const,
    isForFlags: true as const,
    reason: 'it goes with the command hub',
    remedy: 'write calltap hub --store URL',
  })),
  { option: 'ca', needs: ['connect'] },
  ...OUTPUTS.map((option, i) => ({ option, excludes: OUTPUTS.slice(0, i) })),
  { option: 'markdown', needs: ['call-report'] },
  { option: 'columns', excludes: OUTPUTS.filter((flag) => flag !== 'csv') },
  { option: 'no-body', needs: ['messages'] },
  { option: 'raw', needs: ['messages'] },
  { option: 'show-secrets', needs: ['messages', 'sipp', 'interactive'] },
  { option: 'no-interface', excludes: ['interactive'] },
  {
    option: 'interactive',
    excludes: ['api', 'metrics'],
    reason: 'a service has no screen',
    remedy: 'leave one of them out',
  },
  {
    option: 'mcp-stdio',
    excludes: ['api', 'metrics'],
    reason: 'a service speaks MCP over HTTP',
    remedy: 'leave it out, or give --mcp with --api',
  },
  {
    option: 'mcp-stdio',
    excludes: ['filter'],
    reason: 'each tool has a filter of its own',
    remedy: 'leave it out',
  },
  {
    check: ({ mcpStdio, input }) =>
      mcpStdio && input.includes('-')
        ? conflict('mcp', 'standard input carries the protocol', 'write what comes there to a file, and name that')
        : null,
  },
  {
    check: ({ interactive, input }) =>
      interactive && input.includes('-')
        ? conflict('-i', 'standard input is the keyboard', 'write what comes there to a file, and name that')
        : null,
  },
  {
    check: ({ interactive, output, filter, device }) =>
      interactive && output !== null && filter !== null && device.length === 0
        ? conflict(
            '-i',
            'what --filter chooses for -O is written at the end of a run without a screen',
            'leave -O out; s saves a call',
          )
        : null,
  },
  { option: 'wav', needs: ['to'] },
  { option: 'sipp', needs: ['to'] },
  { option: 'span', needs: ['wav'] },
  { option: 'to', needs: ['wav', 'sipp'] },
  { option: 'force', needs: ['to'] },
  {
    check: ({ compare: calls }) =>
      calls.length === 0 || calls.length === 2
        ? null
        : conflict('--compare', 'it takes two calls', 'give it twice: --compare A --compare B'),
  },
  {
    check: ({ raw }) =>
      raw && process.stdout.isTTY
        ? conflict('--raw', 'captured bytes can steer a terminal', 'send them to a file or through a pipe')
        : null,
  },
  {
    option: 'fail2ban',
    excludes: OUTPUTS.filter((flag) => flag !== 'interactive'),
    reason: 'its lines would mix with those of another output',
    remedy: 'leave one of them out',
  },
  {
    check: ({ fail2ban, interactive, log }) =>
      fail2ban && interactive && log === null
        ? conflict('--fail2ban', 'with -i standard output is the screen', 'add --log FILE')
        : null,
  },
  { option: 'log', needs: ['interactive'] },
  { option: 'kill-response', needs: ['kill-scanner'], isMet: looksForScanners },
  { option: 'syslog', needs: ['alert'] },
  { option: 'fraud-night', needs: ['fraud'] },

  { option: 'metrics-auth-file', excludes: ['metrics-auth'] },
  { option: 'token-id', needs: ['mint-token'] },
  { option: 'token-scope', needs: ['mint-token'] },
  { option: 'mcp-signing-key', needs: ['mcp', 'mint-token'], isForFlags: true, reason: 'there is no MCP to guard' },
  {
    check: ({ mintToken, mcpSigningKey, tokenScope }) =>
      mintToken && mcpSigningKey.length > 0 && tokenScope === 'metrics'
        ? conflict(
            '--token-scope metrics',
            'an MCP signing key mints for MCP, which has no metrics',
            'sign with --api-signing-key, or leave --token-scope out',
          )
        : null,
  },
  {
    check: ({ mintToken, mcpSigningKey, apiSigningKey, apiSigningKeyFile }) =>
      mintToken && mcpSigningKey.length > 0 && (apiSigningKey.length > 0 || apiSigningKeyFile !== null)
        ? conflict(
            '--mint-token',
            'a token is for the API or for MCP, not for both',
            'give --api-signing-key or --mcp-signing-key',
          )
        : null,
  },
  {
    option: 'mint-token',
    needs: SIGNING_KEYS,
    reason: 'there is no signing key',
    remedy: 'give --api-signing-key-file, or --api-signing-key, or SERVICE_API_SIGNING_KEY in the environment',
  },

  {
    unless: ['mint-token'],
    check: ({ input }) =>
      input.filter((name) => name === '-').length > 1
        ? conflict('-I -', 'only one -I can read standard input', 'give it once')
        : null,
  },
  {
    option: 'input',
    excludes: LIVE,
    unless: NO_CAPTURE,
    reason: 'a run reads capture files or live sources, not both',
    remedy: 'leave out the files, or -d, -L and --uprobe',
  },
  {
    unless: NO_CAPTURE,
    check: ({ device: devices }) => {
      const twice = devices.find((name, i) => devices.indexOf(name) !== i || (name === 'any' && devices.length > 1));
      const remedy = 'give each interface once, or any alone';
      return twice === undefined ? null : conflict(`-d ${twice}`, 'this would capture the same packets twice', remedy);
    },
  },
  {
    option: 'bpf',
    needs: ['input', 'device'],
    unless: NO_CAPTURE,
    reason: 'it filters the packets of files and interfaces',
  },
  { option: 'hep-listen', needs: ['hep-decode'], unless: NO_CAPTURE },
  { option: 'hep-listen-cert', needs: ['hep-listen'], unless: NO_CAPTURE },
  {
    unless: NO_CAPTURE,
    check: ({ hepListenCert, hepListenKey }) =>
      hepListenCert !== null && hepListenKey === null
        ? conflict('--hep-listen-cert', 'it requires --hep-listen-key', 'add --hep-listen-key FILE')
        : null,
  },
  { option: 'hep-listen-key', needs: ['hep-listen-cert'], unless: NO_CAPTURE },
  { option: 'hep-listen-client-ca', needs: ['hep-listen-cert'], unless: NO_CAPTURE },
  { option: 'hep-allow', needs: ['hep-listen'], unless: NO_CAPTURE },
  { option: 'hep-auth', needs: ['hep-listen'], unless: NO_CAPTURE },
  {
    unless: NO_CAPTURE,
    check: ({ output }) =>
      output === '-' ? conflict('-O -', 'standard output carries other data', 'name a file or a pipe') : null,
  },
  { option: 'split', needs: ['output'], unless: NO_CAPTURE },
  {
    unless: NO_CAPTURE,
    check: ({ filter, output, split, device, hepListen, uprobe, input }) =>
      filter !== null &&
      output !== null &&
      split?.isByCall !== true &&
      (device.length > 0 || hepListen !== null || uprobe.length > 0 || input.includes('-'))
        ? conflict('--filter with -O', 'it reads the files twice, and this source can be read once', 'use --split call')
        : null,
  },
  { option: 'keep', needs: ['split'], unless: NO_CAPTURE, remedy: 'add --split SIZE|TIME' },
  { unless: NO_CAPTURE, check: callSplitConflict },
  { option: 'hep-node', needs: ['hep-send'], unless: NO_CAPTURE },
  { option: 'hep-send-auth', needs: ['hep-send'], unless: NO_CAPTURE },
  { option: 'hep-rtp-reports', needs: ['hep-send'], unless: NO_CAPTURE },
  { option: 'export-uprobe', needs: ['hep-send', 'ship'], unless: NO_CAPTURE },
  { option: 'hep-spool', needs: ['hep-send'], unless: NO_CAPTURE },
  { option: 'hep-cert', needs: ['hep-key'], unless: NO_CAPTURE, remedy: 'add --hep-key FILE' },
  { option: 'hep-key', needs: ['hep-cert'], unless: NO_CAPTURE, remedy: 'add --hep-cert FILE' },
  { unless: NO_CAPTURE, check: collectorConflict },
  ...SHIP_OPTIONS.map((option) => ({
    option,
    needs: ['ship'] as const,
    unless: NO_CAPTURE,
    isForFlags: true as const,
  })),
  { unless: NO_CAPTURE, check: shipConflict },
  {
    option: 'user',
    needs: LIVE,
    unless: NO_CAPTURE,
    reason: 'reading a file needs no privileges to give up',
    remedy: 'start as that user, or add -d or -L',
  },
  {
    unless: ['input', 'show-frame', ...LIVE, ...NO_CAPTURE],
    check: () => conflict('-I', 'there is nothing to read', 'name a capture file, or give an interface with -d IFACE'),
  },

  ...(['api-key', 'api-key-file'] as const).map((option) => ({
    option,
    needs: ['api', 'connect'] as const,
    unless: ['mint-token'] as const,
    isForFlags: true as const,
    reason: 'there is no API to guard',
  })),
  ...(['api-revoked-file'] as const).map((option) => ({
    option,
    needs: ['api'] as const,
    unless: ['mint-token'] as const,
    isForFlags: true as const,
    reason: 'there is no API to guard',
  })),
  ...(['api-signing-key', 'api-signing-key-file'] as const).map((option) => ({
    option,
    needs: ['api', 'mint-token'] as const,
    isForFlags: true as const,
    reason: 'there is no API to guard',
  })),
  { option: 'console', needs: ['api'], unless: ['mint-token'], isForFlags: true },
  { option: 'ask', needs: ['api'], unless: ['mint-token'], isForFlags: true },
  { option: 'mcp', needs: ['api'], unless: ['mint-token'], isForFlags: true },
  {
    unless: ['mint-token'],
    check: ({ mcp, mcpSigningKey, apiKey, apiKeyFile, apiSigningKey, apiSigningKeyFile }) =>
      mcp &&
      mcpSigningKey.length === 0 &&
      (apiKey !== null || apiKeyFile !== null || apiSigningKey.length > 0 || apiSigningKeyFile !== null)
        ? conflict(
            '--mcp',
            'the API asks for credentials, and MCP takes none of them',
            'give --mcp-signing-key, or SERVICE_MCP_SIGNING_KEY in the environment',
          )
        : null,
  },
  ...(['uprobe-offset', 'uprobe-offsets'] as const).map((option) => ({
    option,
    needs: ['uprobe', 'uprobe-list', 'check'] as const,
    unless: ['mint-token'] as const,
    isForFlags: true as const,
  })),
  { option: 'uprobe-ring-bytes', needs: ['uprobe', 'uprobe-list', 'check'], unless: ['mint-token'], isForFlags: true },
  { option: 'no-promisc', needs: ['device'], unless: ['mint-token'], isForFlags: true },
  ...(['metrics-auth', 'metrics-auth-file'] as const).map((option) => ({
    option,
    needs: ['metrics'] as const,
    unless: ['mint-token'] as const,
    isForFlags: true as const,
    reason: 'there is no metrics server to guard (the /metrics of --api asks for its key)',
  })),
];

function conflict(option: string, reason: string, remedy: string): ServiceError {
  return failure('OPTION_CONFLICT', { option, reason, remedy });
}

/** Options of the configuration and of the environment may be meant for other starts. */
function connectConflict({ connect }: Config, effective: Effective): ServiceError | null {
  if (connect === null) return null;
  const other = strangerTo(OF_CONNECT, effective);
  if (other === null) return null;
  if (other === '--show-secrets')
    return conflict(other, 'a service sends no credentials and keys', 'leave it out, or look with -i there');
  return conflict(
    other,
    'it cannot be combined with --connect, which shows what a service captures',
    'leave one of them out',
  );
}

/** The first option of the command line that `known` lacks, spelled as people write it; null where it lacks none. */
function strangerTo(known: readonly string[], effective: Effective): string | null {
  const other = [...effective].find(([flag, { origin }]) => origin === 'flag' && !known.includes(flag));
  return other === undefined ? null : nameOf(optionByFlag(other[0]));
}

/** A file for each call needs frames to write, and a folder that is there. */
function callSplitConflict({ split, output, keep, device, input }: Config): ServiceError | null {
  if (split?.isByCall !== true || output === null) return null;
  const option = '--split call';
  if (keep !== null)
    return conflict(option, 'it cannot be combined with --keep', 'leave --keep out and remove old files yourself');
  if (!isFolder(output))
    return conflict(option, `-O ${oneLine(output)} is no folder`, 'make the folder first, or name another one');
  if (device.length === 0 && input.length === 0)
    return conflict(option, 'only -d and -I have frames to write', 'add -d, or leave --split call out');
  return null;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The first mistake between options; null without one, or when they are only printed. */
export function findConflict(config: Config, effective: Effective): ServiceError | null {
  const isGiven = (flag: Flag): boolean => {
    const entry = effective.get(flag);
    return entry !== undefined && entry.origin !== 'default' && entry.values[0] !== false;
  };
  if (config.printConfig) return null;
  for (const rule of RULES) {
    if (rule.unless?.some(isGiven) === true) continue;
    if ('option' in rule && rule.isForFlags === true && effective.get(rule.option)?.origin !== 'flag') continue;
    const found =
      'check' in rule ? rule.check(config, effective) : isGiven(rule.option) ? broken(rule, config, isGiven) : null;
    if (found !== null) return found;
  }
  return null;
}

/** What is wrong with an option that is given. */
function broken(rule: Need | Exclusion, config: Config, isGiven: (flag: Flag) => boolean): ServiceError | null {
  const { reason, remedy } = rule;
  const name = nameOf(optionByFlag(rule.option));
  if ('excludes' in rule) {
    const other = rule.excludes.find(isGiven);
    if (other === undefined) return null;
    return conflict(
      name,
      reason ?? `it cannot be combined with ${nameOf(optionByFlag(other))}`,
      remedy ?? 'give one of them',
    );
  }
  if (rule.isMet?.(config) ?? rule.needs.some(isGiven)) return null;
  const written = rule.needs.map((flag) => writtenOption(optionByFlag(flag))).join(' or ');
  return conflict(
    name,
    reason ?? `it requires ${rule.needs.map((flag) => nameOf(optionByFlag(flag))).join(' or ')}`,
    remedy ?? `add ${written}`,
  );
}

/** What the collectors of -H say against each other, or against what goes with them. */
function collectorConflict({ hepSend, hepFailover, hepCa, hepCert }: Config): ServiceError | null {
  const texts = hepSend.map((one) => optionValueText(one));
  const twice = texts.find((text, i) => texts.indexOf(text) !== i);
  if (hepSend.some(({ port }) => port === 0))
    return conflict('-H', 'nobody listens on port 0', "give the collector's port, such as 192.0.2.9:9060");
  if (twice !== undefined) return conflict(`-H ${twice}`, 'it would get each message twice', 'give it once');
  if (hepSend.length > MAX_COLLECTORS)
    return conflict('-H', 'there are too many collectors', `give at most ${MAX_COLLECTORS}`);
  if (hepFailover && hepSend.length < 2)
    return conflict('--hep-failover', 'there is no other collector', 'give a second -H ADDR');
  const forTls = hepCa !== null ? '--hep-ca' : hepCert !== null ? '--hep-cert' : null;
  return forTls === null || hepSend.some(({ transport }) => transport === 'tls')
    ? null
    : conflict(forTls, 'no collector of -H is spoken to by TLS', 'write -H tls://HOST:PORT');
}

/** The option as people know it: `-I`, `--json`. */
function nameOf({ short, flag }: OptionSpec): string {
  return short === undefined ? `--${flag}` : `-${short}`;
}

/** The options that this one needs one of, for the pages. */
export function needsOf(flag: string): readonly string[] {
  return RULES.flatMap((rule) =>
    'needs' in rule && rule.option === flag ? rule.needs.map((needed) => nameOf(optionByFlag(needed))) : [],
  );
}
