/** Finds the first mistake between options: what rows of the table say of each other, and checks on their values. */

import type { ServiceError } from '../core/errors.ts';
import {
  callSplitConflict,
  collectorConflict,
  deviceConflict,
  keepConflict,
  listenKeyConflict,
  outputFileConflict,
  secondPassConflict,
  sourceConflict,
} from './capture-conflicts.ts';
import { hubConflict } from './hub-options.ts';
import type { Effective } from './layers.ts';
import type { RowValues } from './option-spec.ts';
import type { Flag, TABLE } from './options.ts';
import { OPTIONS } from './options.ts';
import type { Given } from './relations.ts';
import { brokenRelation, conflict, given, nameOf, readsCapture } from './relations.ts';
import { filterOf } from './run-kind.ts';
import { shipConflict } from './ship-options.ts';

type Config = RowValues<typeof TABLE>;
/** What hangs on values, or on more than the rows can say. */
type Check = (config: Config, all: Given) => ServiceError | null;

/** Each of them decides what standard output is; the order says which of two a line names first. */
const OUTPUTS: readonly Flag[] = [
  ...(['json', 'csv', 'stats-json', 'call-report', 'ladder', 'messages', 'quality', 'show', 'compare'] as const),
  ...(['wav', 'sipp', 'interactive', 'mcp-stdio', 'show-frame', 'mint-token'] as const),
];
/** A form of an answer, and the answers that have it: what is a table. */
const FORMS: Partial<Record<Flag, readonly Flag[]>> = {
  json: ['messages', 'quality', 'show', 'compare'],
  csv: ['quality', 'show', 'compare'],
};
/** What goes with a screen over a running service; all else is a matter of that service. */
const OF_CONNECT: readonly Flag[] = [
  ...(['connect', 'filter', 'calls', 'sort', 'utc', 'color', 'api-key', 'api-key-file', 'ca'] as const),
  ...(['config', 'print-config', 'mcp-stdio'] as const),
];

/** What kind of run it is, and where its answer goes. */
const OF_RUN: readonly Check[] = [
  connectConflict,
  (config, { effective }) => hubConflict(config, (known) => strangerTo(known, effective)),
  outputConflict,
  showConflict,
  columnsConflict,
  screenConflict,
  callsConflict,
  fail2banConflict,
  metricsConflict,
];

/** What else hangs on values. */
const OF_VALUES: readonly Check[] = [
  tokenConflict,
  standardInputConflict,
  ofCapture(deviceConflict),
  ofCapture(listenKeyConflict),
  ofCapture(outputFileConflict),
  ofCapture(keepConflict),
  ofCapture(secondPassConflict),
  ofCapture(callSplitConflict),
  ofCapture(collectorConflict),
  ofCapture(shipConflict),
  ofCapture(sourceConflict),
  mcpConflict,
];

/** The first mistake between options; null without one, or when they are only printed. */
export function findConflict(config: Config, effective: Effective): ServiceError | null {
  if (config.printConfig) return null;
  const all = given(config, effective);
  return (
    firstFound(OF_RUN, (check) => check(config, all)) ??
    firstFound(OPTIONS, (spec) => brokenRelation(spec, all)) ??
    firstFound(OF_VALUES, (check) => check(config, all))
  );
}

function firstFound<T>(items: readonly T[], look: (item: T) => ServiceError | null): ServiceError | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}

/** A check that says nothing in a run without a capture. */
function ofCapture(check: (config: Config) => ServiceError | null): Check {
  return (config, all) => (readsCapture(all) ? check(config) : null);
}

/** Options of the configuration and of the environment may be meant for other starts. */
function connectConflict({ connect }: Config, { effective }: Given): ServiceError | null {
  const other = connect === null ? null : strangerTo(OF_CONNECT, effective);
  if (other === null) return null;
  if (other === '--show-secrets')
    return conflict(other, 'a service sends no credentials and keys', 'leave it out, or look with -i there');
  const reason = 'it cannot be combined with --connect, which shows what a service captures';
  return conflict(other, reason, 'leave one of them out');
}

/** The first option of the command line that `known` lacks, spelled as people write it; null where it lacks none. */
function strangerTo(known: readonly string[], effective: Effective): string | null {
  const other = [...effective].find(([flag, { origin }]) => origin === 'flag' && !known.includes(flag));
  return other === undefined ? null : nameOf(other[0]);
}

function outputConflict(_: Config, { has }: Given): ServiceError | null {
  const given = OUTPUTS.filter(has);
  const [first, second] = given;
  if (first === undefined || second === undefined) return null;
  if (given.length === 2 && FORMS[first]?.includes(second) === true) return null;
  return conflict(nameOf(second), `it cannot be combined with ${nameOf(first)}`, 'give one of them');
}

/** These are counted as calls come: nothing can choose among them later. A filter may be there for -O. */
const COUNTED: readonly (string | null)[] = ['trunks', 'overview', 'attackers'];

function showConflict({ show, output }: Config, { has, effective }: Given): ServiceError | null {
  for (const short of ['trunks', 'overview'] as const)
    if (has(short) && show !== short)
      return conflict(`--${short}`, `it cannot be combined with --show ${show ?? ''}`, 'give one of them');
  if (!COUNTED.includes(show) || output !== null || effective.get('filter')?.origin !== 'flag') return null;
  const reason = `--show ${show} counts all calls, and takes no filter`;
  return conflict('--filter', reason, 'leave it out, or use --show findings or the table, which take one');
}

function columnsConflict({ columns }: Config, { has }: Given): ServiceError | null {
  const other = columns === null ? undefined : OUTPUTS.find((flag) => flag !== 'csv' && has(flag));
  return other === undefined
    ? null
    : conflict('--columns', `it cannot be combined with ${nameOf(other)}`, 'give one of them');
}

/** A screen and an agent hold the standard streams. */
function screenConflict(config: Config): ServiceError | null {
  const { interactive, mcpStdio, input, output, device } = config;
  const filter = filterOf(config);
  if (mcpStdio && filter !== null) return conflict('--mcp-stdio', 'each tool has a filter of its own', 'leave it out');
  const readsStandardInput = input.includes('-');
  const remedy = 'write what comes there to a file, and name that';
  if (mcpStdio && readsStandardInput) return conflict('mcp', 'standard input carries the protocol', remedy);
  if (!interactive) return null;
  if (readsStandardInput) return conflict('-i', 'standard input is the keyboard', remedy);
  if (output === null || filter === null || device.length > 0) return null;
  const reason = 'what --filter chooses for -O is written at the end of a run without a screen';
  return conflict('-i', reason, 'leave -O out; s saves a call');
}

function callsConflict({ compare: calls, raw }: Config): ServiceError | null {
  if (calls.length !== 0 && calls.length !== 2)
    return conflict('--compare', 'it takes two calls', 'give it twice: --compare A --compare B');
  return raw && process.stdout.isTTY
    ? conflict('--raw', 'captured bytes can steer a terminal', 'send them to a file or through a pipe')
    : null;
}

function fail2banConflict({ fail2ban, interactive, log }: Config, { has }: Given): ServiceError | null {
  if (!fail2ban) return null;
  if (OUTPUTS.some((flag) => flag !== 'interactive' && has(flag)))
    return conflict('--fail2ban', 'its lines would mix with those of another output', 'leave one of them out');
  return interactive && log === null
    ? conflict('--fail2ban', 'with -i standard output is the screen', 'add --log FILE')
    : null;
}

function metricsConflict({ metricsAuth, metricsAuthFile }: Config): ServiceError | null {
  return metricsAuth !== null && metricsAuthFile !== null
    ? conflict('--metrics-auth-file', 'it cannot be combined with --metrics-auth', 'give one of them')
    : null;
}

/** Which key a token is signed with. */
function tokenConflict(config: Config): ServiceError | null {
  if (!config.mintToken || config.mcpSigningKey.length === 0) return null;
  if (config.tokenScope === 'metrics')
    return conflict(
      '--token-scope metrics',
      'an MCP signing key mints for MCP, which has no metrics',
      'sign with --api-signing-key, or leave --token-scope out',
    );
  return config.apiSigningKey.length === 0 && config.apiSigningKeyFile === null
    ? null
    : conflict(
        '--mint-token',
        'a token is for the API or for MCP, not for both',
        'give --api-signing-key or --mcp-signing-key',
      );
}

function standardInputConflict({ mintToken, input }: Config): ServiceError | null {
  return !mintToken && input.filter((name) => name === '-').length > 1
    ? conflict('-I -', 'only one -I can read standard input', 'give it once')
    : null;
}

/** The keys of the API open no tool of an agent. */
function mcpConflict(config: Config): ServiceError | null {
  const { apiKey, apiKeyFile, apiSigningKey, apiSigningKeyFile } = config;
  const isGuarded = apiKey !== null || apiKeyFile !== null || apiSigningKey.length > 0 || apiSigningKeyFile !== null;
  return isGuarded && config.mcp && !config.mintToken && config.mcpSigningKey.length === 0
    ? conflict(
        '--mcp',
        'the API asks for credentials, and MCP takes none of them',
        'give --mcp-signing-key, or SERVICE_MCP_SIGNING_KEY in the environment',
      )
    : null;
}
