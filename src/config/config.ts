/** Builds the configuration in force: flags over environment over file over defaults, then checks across options. */

import { readFileSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';
import type { Thresholds } from '../core/thresholds.ts';
import type { Mistake, Outcome } from './config-error.ts';
import { mistake } from './config-error.ts';
import { thresholdsOf } from './diagnosis-options.ts';
import type { Layer } from './layers.ts';
import { readArgv, readEnvironment, readToml } from './layers.ts';
import type { ListenAddress, OptionValue, PortRange, Split } from './option-value.ts';
import { parseOptionValue } from './option-value.ts';
import { OPTIONS, optionByFlag } from './options.ts';

/** Every option that is built in, typed. `null` is "not given". */
export type Config = {
  readonly input: readonly string[];
  readonly devices: readonly string[];
  /** Interfaces are made promiscuous. */
  readonly promisc: boolean;
  readonly hepListen: ListenAddress | null;
  readonly hepAllow: readonly string[];
  readonly hepRateLimit: number;
  readonly hepAuth: string | null;
  readonly hepDecode: boolean;
  readonly hepSend: ListenAddress | null;
  readonly hepId: number;
  readonly hepNode: string | null;
  readonly hepSendAuth: string | null;
  readonly output: string | null;
  readonly split: Split | null;
  readonly user: string | null;
  /** `all`, process ids and paths; empty: no probes. */
  readonly uprobe: readonly string[];
  readonly uprobeComm: string | null;
  readonly uprobeRingBytes: number | null;
  readonly uprobeList: boolean;
  readonly portrange: readonly PortRange[];
  readonly wsPortrange: readonly PortRange[];
  readonly decodeEspNull: boolean;
  readonly callIdHeaders: readonly string[];
  readonly lintSuppress: readonly string[];
  readonly retainAudio: boolean;
  readonly audioBytes: number;
  readonly json: boolean;
  readonly statsJson: boolean;
  readonly callReport: string | null;
  readonly markdown: boolean;
  readonly showFrame: string | null;
  readonly api: ListenAddress | null;
  readonly apiMaxRows: number;
  readonly apiMaxConn: number;
  readonly metrics: ListenAddress | null;
  readonly peerCtl: string | null;
  readonly peerDb: string | null;
  readonly apiKey: string | null;
  /** As given on the command line or in the environment; that of the file is not among them. */
  readonly apiSigningKeys: readonly string[];
  readonly apiSigningKeyFile: string | null;
  readonly apiTokenTtlSecs: number;
  readonly apiRevokedFile: string | null;
  readonly mintToken: boolean;
  readonly tokenId: string | null;
  readonly tokenScope: 'full' | 'metrics';
  readonly mcpSigningKeys: readonly string[];
  readonly metricsAuth: string | null;
  readonly metricsAuthFile: string | null;
  readonly qualityIntervalSecs: number;
  readonly thresholds: Thresholds;
  readonly stirShaken: boolean;
  readonly onDialogExec: string | null;
  readonly onQualityExec: string | null;
  readonly qualityThreshold: number;
  readonly execRateLimit: number;
  readonly killScanner: boolean;
  /** A regular expression, checked already. */
  readonly killUa: string | null;
  readonly killResponse: number | null;
  readonly fail2ban: boolean;
  /** Alerts go to syslog. */
  readonly alertSyslog: boolean;
  readonly syslog: boolean;
  readonly syslogSocket: string;
  readonly securityPeers: readonly string[];
  readonly securityMirrored: boolean;
  readonly fraud: boolean;
  readonly fraudNight: string | null;
  readonly maxDialogs: number;
  readonly maxStreams: number;
  readonly messageLogBytes: number;
  readonly config: string | null;
  readonly printConfig: boolean;
  readonly version: boolean;
  readonly help: boolean;
};

/** Where a value came from; what `--print-config` notes beside it. */
export type ValueOrigin = 'flag' | 'environment' | 'file' | 'default';

/** The values in force by flag, with their origin. */
export type Effective = ReadonlyMap<string, { readonly values: readonly OptionValue[]; readonly origin: ValueOrigin }>;

export type ConfigInput = {
  /** Arguments after the script name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the configuration file; tests give their own. */
  readonly readFile?: (path: string) => string;
};

/** The configuration, or the first mistake found. With `--help` or `--version` only the command line is looked at. */
export function loadConfig(input: ConfigInput): Outcome<{ readonly config: Config; readonly effective: Effective }> {
  const flags = readArgv(input.argv);
  if (!flags.ok) return flags;
  if (flags.value.has('help') || flags.value.has('version')) {
    const effective = merge([[flags.value, 'flag']]);
    return { ok: true, value: { config: toConfig(effective), effective } };
  }
  const environment = readEnvironment(input.env);
  if (!environment.ok) return environment;
  const path = flags.value.get('config')?.[0] ?? environment.value.get('config')?.[0];
  const file = readFileLayer(typeof path === 'string' ? path : null, input.readFile ?? readText);
  if (!file.ok) return file;
  const effective = merge([
    [flags.value, 'flag'],
    [environment.value, 'environment'],
    [file.value, 'file'],
  ]);
  const config = toConfig(effective);
  const conflict = findConflict(config) ?? findUnused(config, effective);
  return conflict ?? { ok: true, value: { config, effective } };
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function readFileLayer(path: string | null, read: (path: string) => string): Outcome<Layer> {
  if (path === null) return { ok: true, value: new Map() };
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    const errno = errnoOf(error) ?? 'error';
    const reason = errno === 'ENOENT' ? 'there is no such file' : `it cannot be read (${errno})`;
    return mistake(`--config ${path}`, reason, 'name a readable TOML file');
  }
  return readToml(text, path);
}

function merge(layers: readonly (readonly [Layer, ValueOrigin])[]): Effective {
  const effective = new Map<string, { values: readonly OptionValue[]; origin: ValueOrigin }>();
  for (const spec of OPTIONS) {
    const found = layers.find(([layer]) => layer.has(spec.flag));
    const values = found?.[0].get(spec.flag);
    if (found !== undefined && values !== undefined) {
      effective.set(spec.flag, { values, origin: found[1] });
    } else if (spec.default !== undefined) {
      const parsed = parseOptionValue(spec.type, spec.default);
      if (!parsed.ok) throw new Error(`the default of --${spec.flag} is wrong: ${parsed.reason}`);
      effective.set(spec.flag, { values: [parsed.value], origin: 'default' });
    }
  }
  return effective;
}

function toConfig(effective: Effective): Config {
  const one = (flag: string): OptionValue | null => effective.get(optionByFlag(flag).flag)?.values[0] ?? null;
  const wrong = (flag: string): never => {
    throw new Error(`--${flag} does not have the type the configuration expects`);
  };
  const bool = (flag: string): boolean => one(flag) === true;
  const text = (flag: string): string | null => {
    const value = one(flag);
    return value === null || typeof value === 'string' ? value : wrong(flag);
  };
  const number = (flag: string): number => {
    const value = one(flag);
    return typeof value === 'number' ? value : wrong(flag);
  };
  const texts = (flag: string): readonly string[] => (effective.get(flag)?.values ?? []).map(String);
  const ports = (flag: string): readonly PortRange[] => {
    const value = one(flag);
    return typeof value === 'object' && value !== null && !('host' in value) && !('bytes' in value)
      ? value
      : wrong(flag);
  };
  const address = (flag: string): ListenAddress | null => {
    const value = one(flag);
    if (value === null) return null;
    return typeof value === 'object' && 'host' in value ? value : wrong(flag);
  };
  const split = (flag: string): Split | null => {
    const value = one(flag);
    if (value === null) return null;
    return typeof value === 'object' && 'bytes' in value ? value : wrong(flag);
  };
  return {
    input: texts('input'),
    devices: (effective.get('device')?.values ?? []).map(String),
    promisc: !bool('no-promisc'),
    hepListen: address('hep-listen'),
    hepAllow: (effective.get('hep-allow')?.values ?? []).map(String),
    hepRateLimit: number('hep-rate-limit'),
    hepAuth: text('hep-auth'),
    hepDecode: bool('hep-decode'),
    hepSend: address('hep-send'),
    hepId: number('hep-id'),
    hepNode: text('hep-node'),
    hepSendAuth: text('hep-send-auth'),
    output: text('output'),
    split: split('split'),
    user: text('user'),
    // A name alone means all processes of that name.
    uprobe: text('uprobe-comm') !== null && texts('uprobe').length === 0 ? ['all'] : texts('uprobe'),
    uprobeComm: text('uprobe-comm'),
    uprobeRingBytes: one('uprobe-ring-bytes') === null ? null : number('uprobe-ring-bytes'),
    uprobeList: bool('uprobe-list'),
    portrange: ports('portrange'),
    wsPortrange: ports('ws-portrange'),
    decodeEspNull: bool('decode-esp-null'),
    callIdHeaders: texts('call-id-header'),
    lintSuppress: texts('lint-suppress'),
    retainAudio: bool('retain-audio'),
    audioBytes: number('audio-bytes'),
    json: bool('json'),
    statsJson: bool('stats-json'),
    callReport: text('call-report'),
    markdown: bool('markdown'),
    showFrame: text('show-frame'),
    api: address('api'),
    apiMaxRows: number('api-max-rows'),
    apiMaxConn: number('api-max-conn'),
    metrics: address('metrics'),
    peerCtl: text('peer-ctl'),
    peerDb: text('peer-db'),
    apiKey: text('api-key'),
    apiSigningKeys: texts('api-signing-key'),
    apiSigningKeyFile: text('api-signing-key-file'),
    apiTokenTtlSecs: number('api-token-ttl'),
    apiRevokedFile: text('api-revoked-file'),
    mintToken: bool('mint-token'),
    tokenId: text('token-id'),
    tokenScope: text('token-scope') === 'metrics' ? 'metrics' : 'full',
    mcpSigningKeys: texts('mcp-signing-key'),
    metricsAuth: text('metrics-auth'),
    metricsAuthFile: text('metrics-auth-file'),
    qualityIntervalSecs: number('quality-interval'),
    thresholds: thresholdsOf(number),
    stirShaken: bool('stir-shaken'),
    onDialogExec: text('on-dialog-exec'),
    onQualityExec: text('on-quality-exec'),
    qualityThreshold: number('quality-threshold'),
    execRateLimit: number('exec-rate-limit'),
    killScanner: bool('kill-scanner'),
    killUa: text('kill-ua'),
    killResponse: one('kill-response') === null ? null : number('kill-response'),
    fail2ban: bool('fail2ban'),
    alertSyslog: text('alert') === 'syslog',
    syslog: bool('syslog'),
    syslogSocket: text('syslog-socket') ?? '/dev/log',
    securityPeers: texts('security-peer'),
    securityMirrored: bool('security-mirrored'),
    fraud: bool('fraud'),
    fraudNight: text('fraud-night'),
    maxDialogs: number('max-dialogs'),
    maxStreams: number('max-streams'),
    messageLogBytes: number('message-log-bytes'),
    config: text('config'),
    printConfig: bool('print-config'),
    version: bool('version'),
    help: bool('help'),
  };
}

/** Options that each decide what standard output is; two of them would mix their answers. */
function findConflict(config: Config): Mistake | null {
  if (config.printConfig) return null;
  const outputs = [
    ['--json', config.json],
    ['--stats-json', config.statsJson],
    ['--call-report', config.callReport !== null],
    ['--show-frame', config.showFrame !== null],
    ['--mint-token', config.mintToken],
  ] as const;
  const [first, second] = outputs.filter(([, isGiven]) => isGiven).map(([name]) => name);
  if (first !== undefined && second !== undefined) {
    return mistake(second, `it cannot be combined with ${first}`, 'give one of them');
  }
  if (config.markdown && config.callReport === null) {
    return mistake('--markdown', 'there is no call report to lay out', 'add --call-report CALL_ID');
  }
  const security = findSecurityConflict(config, first);
  if (security !== null) return security;
  const credentials = findCredentialConflict(config);
  if (credentials !== null || config.mintToken) return credentials;
  if (config.input.filter((name) => name === '-').length > 1) {
    return mistake('-I -', 'standard input can be read only once', 'give it once');
  }
  return findSourceConflict(config);
}

/** True when an option asks for the detection of scanners; syslog beside --fraud asks for the alerts of that alone. */
export function looksForScanners({ killScanner, killUa, fail2ban, alertSyslog, fraud }: Config): boolean {
  return killScanner || killUa !== null || fail2ban || (alertSyslog && !fraud);
}

/** Options that only mean something beside others, and lines that would mix with data. */
function findSecurityConflict(config: Config, output: string | undefined): Mistake | null {
  if (config.fail2ban && output !== undefined) {
    return mistake('--fail2ban', `its lines would stand between those of ${output}`, `leave out ${output}`);
  }
  if (config.killResponse !== null && !looksForScanners(config)) {
    return mistake('--kill-response', 'nobody looks for scanners', 'add --kill-scanner');
  }
  if (config.syslog && !config.alertSyslog) {
    return mistake('--syslog', 'there is nothing to send there', 'add --alert syslog');
  }
  if (config.fraudNight !== null && !config.fraud) {
    return mistake('--fraud-night', 'nobody looks for fraud', 'add --fraud');
  }
  return null;
}

/** Sources: a file alone, or any live ones together. */
function findSourceConflict(config: Config): Mistake | null {
  if (config.uprobeList) return null;
  const isLive = config.devices.length > 0 || config.hepListen !== null || config.uprobe.length > 0;
  if (config.input.length > 0 && isLive) {
    return mistake('-I', 'a capture file cannot be read beside live sources', 'leave out -I, or -d, -L and --uprobe');
  }
  const { devices } = config;
  const twice = devices.find((name, i) => devices.indexOf(name) !== i || (name === 'any' && devices.length > 1));
  if (twice !== undefined) {
    return mistake(`-d ${twice}`, 'the same packets would be captured twice', 'give each interface once, or any alone');
  }
  if (config.hepListen !== null && !config.hepDecode) {
    return mistake('-L', 'it listens for HEP, which is not decoded', 'add -E');
  }
  const needsListener = [
    ['--hep-allow', config.hepAllow.length > 0],
    ['--hep-auth', config.hepAuth !== null],
  ] as const;
  for (const [name, isGiven] of needsListener) {
    if (isGiven && config.hepListen === null) return mistake(name, 'there is no HEP listener', 'add -L ADDR -E');
  }
  const output = findOutputConflict(config, isLive);
  if (output !== null) return output;
  if (config.input.length === 0 && !isLive && config.showFrame === null) {
    return mistake('-I', 'there is nothing to read', 'give a capture file with -I FILE, or an interface with -d IFACE');
  }
  return null;
}

/** What is written and sent, and as whom. */
function findOutputConflict(config: Config, isLive: boolean): Mistake | null {
  if (config.output === '-') return mistake('-O -', 'standard output carries data of its own', 'name a file or a pipe');
  if (config.split !== null && config.output === null) {
    return mistake('--split', 'there is no file to split', 'add -O FILE');
  }
  if (config.hepSend === null) {
    if (config.hepNode !== null) return mistake('--hep-node', 'nothing is mirrored', 'add -H ADDR');
    if (config.hepSendAuth !== null) return mistake('--hep-send-auth', 'nothing is mirrored', 'add -H ADDR');
  } else if (config.hepSend.port === 0) {
    return mistake('-H', 'nobody listens on port 0', "give the collector's port, such as 192.0.2.9:9060");
  }
  if (config.user !== null && !isLive) {
    return mistake('--user', 'reading a file needs no privileges to give up', 'start as that user, or add -d or -L');
  }
  return null;
}

/**
 * Options on the command line that would be of no use: credentials that guard nothing, a ring that nothing fills. In the
 * environment or the file they may be meant for other starts.
 */
function findUnused(config: Config, effective: Effective): Mistake | null {
  if (config.printConfig || config.mintToken) return null;
  const isFlag = (flag: string): boolean => effective.get(flag)?.origin === 'flag';
  const signing = ['api-signing-key', 'api-signing-key-file'];
  const ofApi = ['api-key', 'api-revoked-file', ...signing].find(isFlag);
  if (ofApi !== undefined && config.api === null) {
    const isMintable = signing.includes(ofApi);
    return mistake(`--${ofApi}`, 'there is no API to guard', `add --api ADDR${isMintable ? ' or --mint-token' : ''}`);
  }
  if (isFlag('uprobe-ring-bytes') && config.uprobe.length === 0 && !config.uprobeList) {
    return mistake('--uprobe-ring-bytes', 'there are no probes that would fill it', 'add --uprobe');
  }
  if (isFlag('no-promisc') && config.devices.length === 0) {
    return mistake('--no-promisc', 'there is no interface to leave as it is', 'add -d IFACE');
  }
  const ofMetrics = ['metrics-auth', 'metrics-auth-file'].find(isFlag);
  if (ofMetrics === undefined || config.metrics !== null) return null;
  const reason = 'there is no metrics server to guard (the /metrics of --api asks for its key)';
  return mistake(`--${ofMetrics}`, reason, 'add --metrics ADDR');
}

/** What the credential options of one start contradict; the rules of minting are those of the tokens themselves. */
function findCredentialConflict(config: Config): Mistake | null {
  const hasApiKeys = config.apiSigningKeys.length > 0 || config.apiSigningKeyFile !== null;
  const hasMcpKeys = config.mcpSigningKeys.length > 0;
  if (config.metricsAuth !== null && config.metricsAuthFile !== null) {
    return mistake('--metrics-auth-file', 'it cannot be combined with --metrics-auth', 'give one of them');
  }
  if (!config.mintToken) {
    if (config.tokenId !== null) return mistake('--token-id', 'there is no token to name', 'add --mint-token');
    if (config.tokenScope !== 'full') return mistake('--token-scope', 'there is no token to limit', 'add --mint-token');
    return hasMcpKeys
      ? mistake('--mcp-signing-key', 'MCP is not built in this version', 'leave it out, or add --mint-token')
      : null;
  }
  if (hasMcpKeys && config.tokenScope === 'metrics') {
    const remedy = 'sign with --api-signing-key, or leave --token-scope out';
    return mistake('--token-scope metrics', 'an MCP signing key mints for MCP, which has no metrics', remedy);
  }
  if (hasMcpKeys && hasApiKeys) {
    const reason = 'a token is for the API or for MCP, and there are signing keys of both';
    return mistake('--mint-token', reason, 'give --api-signing-key or --mcp-signing-key');
  }
  if (hasApiKeys || hasMcpKeys) return null;
  const remedy = 'give --api-signing-key-file, or --api-signing-key, or SERVICE_API_SIGNING_KEY in the environment';
  return mistake('--mint-token', 'there is no signing key', remedy);
}
