/**
 * The three places options come from (flags, environment, TOML file), each read into the same layer of
 * texts. What is wrong in one of them is thrown as a ServiceError.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import { LOCAL_SIDE } from '../core/trunks.ts';
import { foreignOption } from './foreign.ts';
import { GONE } from './gone.ts';
import type { OptionSpec } from './option-spec.ts';
import { requireBuiltIn } from './option-spec.ts';
import type { OptionValue } from './option-value.ts';
import { oneLine, parseOptionValue, quoted } from './option-value.ts';
import type { Flag } from './options.ts';
import { OPTIONS, optionByFlag, ROWS } from './options.ts';
import { nearest } from './spelling.ts';
import type { Around } from './stray-words.ts';
import { strayWord } from './stray-words.ts';

/** Parts of a key of the configuration, and how deep its values may lie in each other. @cap */
const MAX_TOML_DEPTH = 16;

/** Values of one layer by flag; more than one only for repeatable options. */
export type Layer = Map<string, readonly OptionValue[]>;

/** Where a value came from; what `--print-config` notes beside it. */
export type ValueOrigin = 'flag' | 'environment' | 'file' | 'default';

/** The values in force by flag, with their origin. */
export type Effective = ReadonlyMap<string, { readonly values: readonly OptionValue[]; readonly origin: ValueOrigin }>;

const BY_FLAG: ReadonlyMap<string, OptionSpec> = new Map(OPTIONS.map((spec) => [spec.flag, spec]));
/** Words that are commands and no captures when they come first, and the option that each stands for. */
const COMMANDS = new Map<string, Flag>([
  ['mcp', 'mcp-stdio'],
  ['hub', 'hub'],
]);

const BY_SHORT: ReadonlyMap<string, OptionSpec> = new Map(
  OPTIONS.flatMap((spec) => (spec.short === undefined ? [] : [[spec.short, spec] as const])),
);
const BY_TOML: ReadonlyMap<string, OptionSpec> = new Map(
  ROWS.flatMap((spec) => (spec.toml === undefined ? [] : [[spec.toml, spec] as const])),
);

/** Reads the command line (without node and script). A word that no option takes is a capture: `-I` of it. */
export function readArgv(argv: readonly string[]): Layer {
  const layer: Layer = new Map();
  const terminator = argv.indexOf('--');
  const options = terminator < 0 ? argv : argv.slice(0, terminator);
  const { tokens } = parseArgs({
    args: [...options.map((arg, i) => bareValue(arg, argv[i + 1] ?? '') ?? arg), ...argv.slice(options.length)],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      OPTIONS.map((spec) => [
        spec.flag,
        {
          type: spec.type.kind === 'bool' ? ('boolean' as const) : ('string' as const),
          multiple: true,
          ...(spec.short === undefined ? {} : { short: spec.short }),
        },
      ]),
    ),
  });
  let mayBeCommand = true;
  let mayBeStray = true;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'option-terminator') {
      mayBeCommand = false;
      // What follows is a file for sure.
      mayBeStray = false;
      continue;
    }
    if (token.kind === 'positional') {
      const command = mayBeCommand ? COMMANDS.get(token.value) : undefined;
      const around = { words: wordsFrom(tokens, i), before: argv[token.index - 1] ?? '', isFirst: mayBeCommand };
      mayBeCommand = false;
      if (command !== undefined) addValue(layer, optionByFlag(command), token.value, undefined);
      else addCapture(layer, token.value, token.index + 1, mayBeStray ? around : null);
      continue;
    }
    const written = token.rawName;
    const spec = BY_FLAG.get(token.name) ?? BY_SHORT.get(token.name);
    if (spec === undefined) throw unknownOption(written, token.value ?? argv[token.index + 1] ?? '');
    // Without strict mode parseArgs takes the next option for a value: `-I --api`.
    const isSwallowed = token.inlineValue === false && /^--?[A-Za-z]/.test(token.value);
    addValue(layer, spec, written, isSwallowed ? undefined : token.value);
  }
  return layer;
}

type Tokens = readonly { readonly kind: string; readonly value?: string | undefined }[];

/** The words from the i-th token up to the next option. */
function wordsFrom(tokens: Tokens, i: number): string[] {
  const end = tokens.findIndex(({ kind }, k) => k > i && kind !== 'positional');
  return tokens.slice(i, end < 0 ? tokens.length : end).map(({ value = '' }) => value);
}

/** Adds a word without an option, the n-th argument. A secret with a blank in it and without quotes ends up here too. */
function addCapture(layer: Layer, word: string, n: number, around: Around | null): void {
  const hasSecret = [...layer.keys()].some((flag) => BY_FLAG.get(flag)?.type.kind === 'secret');
  // No later line may show it: nobody gives a file its name.
  if (hasSecret && word !== '-' && !existsSync(word)) throw failure('ARGUMENT_UNKNOWN', { option: `argument ${n}` });
  const hint = around === null ? null : strayWord(around);
  if (hint !== null) throw failure('ARGUMENT_STRAY', { option: quoted(word).slice(1, -1), hint: oneLine(hint) });
  addValue(layer, optionByFlag('input'), `argument ${n}`, word);
}

/**
 * `--uprobe` alone becomes `--uprobe=all`: parseArgs knows no optional values. A number, or a word of a closed set, after an
 * option is its value.
 */
function bareValue(arg: string, next: string): string | null {
  const spec = arg.startsWith('--') ? BY_FLAG.get(arg.slice(2)) : BY_SHORT.get(arg.slice(1));
  if (!arg.startsWith('-') || spec?.valueIfBare === undefined) return null;
  const { type } = spec;
  const isWord = spec.takesNext === true && arg.startsWith('--') && next !== '' && !next.startsWith('-');
  const isValue =
    isWord || (type.kind === 'int' ? /^[0-9]/.test(next) : type.kind === 'choice' && type.values.includes(next));
  return isValue ? null : `--${spec.flag}=${spec.valueIfBare}`;
}

function unknownOption(written: string, next: string): ServiceError {
  const gone = written.startsWith('--') ? GONE.get(written.slice(2).split('=', 1)[0] ?? '') : undefined;
  if (gone !== undefined) return failure('OPTION_GONE', { option: written, hint: gone });
  const near = written.startsWith('--') ? nearest(written.slice(2), BY_FLAG.keys()) : null;
  const hint =
    foreignOption(written, oneLine(next)) ?? (near === null ? 'see --help for the options' : `did you mean --${near}?`);
  return failure('OPTION_UNKNOWN', { option: quoted(written).slice(1, -1), hint });
}

function addValue(layer: Layer, spec: OptionSpec, written: string, text: string | undefined): void {
  requireBuiltIn(spec, written);
  const isBool = spec.type.kind === 'bool';
  if (isBool && text !== undefined) throw failure('VALUE_UNWANTED', { option: written });
  if (!isBool && text === undefined) {
    throw failure('VALUE_MISSING', { option: written, arg: spec.arg ?? 'VALUE' });
  }
  const before = layer.get(spec.flag) ?? [];
  if (before.length > 0 && spec.repeatable !== true && !isBool) {
    throw failure('OPTION_TWICE', { option: written });
  }
  layer.set(spec.flag, isBool ? [true] : [...before, parseOptionValue(spec.type, text ?? 'true', written)]);
}

/** Reads the environment; an empty variable counts as unset. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Layer {
  const layer: Layer = new Map();
  for (const [name, hint] of GONE) if ((env[name] ?? '') !== '') throw failure('OPTION_GONE', { option: name, hint });
  for (const spec of OPTIONS) {
    if (spec.env === undefined) continue;
    const text = env[spec.env];
    if (text === undefined || text === '') continue;
    requireBuiltIn(spec, spec.env);
    layer.set(spec.flag, [parseOptionValue(spec.type, text, spec.env)]);
  }
  return layer;
}

/** The tables of the file whose keys are names, or begin with one. */
const NAMES = 'names.';
const TRUNKS = 'trunks.';
const DEVICES = 'devices.';
const AGENTS = 'agents.';
/** What stands below the name of an agent, and the option that holds it. */
const OF_AGENT: Readonly<Record<string, Flag>> = { url: 'agent', key_file: 'agent-key-file', ca: 'agent-ca' };

const require = createRequire(import.meta.url);

/** The package for TOML. Few runs have a configuration file: it is loaded when it is asked for, without waiting. */
export function toml(): typeof import('smol-toml') {
  // The types of a package do not come through `require`; these are its own.
  return require('smol-toml') as typeof import('smol-toml');
}

/** Reads the text of a configuration file. */
export function readToml(text: string, file: string): Layer {
  let document: unknown;
  try {
    document = toml().parse(text, { maxDepth: MAX_TOML_DEPTH });
  } catch (error) {
    const where = error instanceof Error && 'line' in error ? ` (line ${String(error.line)})` : '';
    const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw failure('CONFIG_SYNTAX', { path: file, reason: `${first}${where}` });
  }
  const layer = new Map<string, OptionValue[]>();
  // A list grows in its place: a file has many names.
  const add = (flag: string, values: readonly OptionValue[]): void => {
    const list = layer.get(flag);
    if (list === undefined) layer.set(flag, [...values]);
    else for (const value of values) list.push(value);
  };
  for (const [key, value] of flatten(document, [], file)) {
    const where = `${quoted(key).slice(1, -1)} in ${file}`;
    if (key.startsWith(NAMES)) {
      add('name', namedBy(key.slice(NAMES.length), where, value));
      continue;
    }
    // Its other keys are bounds.
    if (key.startsWith(TRUNKS) && !BY_TOML.has(key)) {
      const name = key.slice(TRUNKS.length);
      const flag = name === LOCAL_SIDE ? 'trunk-local' : 'trunk';
      const texts = name === LOCAL_SIDE ? textsOf(where, value) : namedBy(name, where, value);
      add(flag, texts);
      continue;
    }
    if (key.startsWith(DEVICES)) {
      const name = key.slice(DEVICES.length);
      add(
        'device-class',
        textsOf(where, value).map((text) => `${name}=${text}`),
      );
      continue;
    }
    if (key.startsWith(AGENTS)) {
      const dot = key.lastIndexOf('.');
      const flag = OF_AGENT[key.slice(dot + 1)];
      if (flag === undefined || dot < AGENTS.length)
        throw failure('OPTION_KEY_UNKNOWN', { option: where, hint: 'write [agents.NAME] with url, key_file and ca' });
      const name = key.slice(AGENTS.length, dot);
      add(
        flag,
        textsOf(where, value).map((text) => `${name}=${text}`),
      );
      continue;
    }
    const spec = BY_TOML.get(key);
    if (spec === undefined) {
      const gone = GONE.get(key);
      if (gone !== undefined) throw failure('OPTION_GONE', { option: where, hint: gone });
      const near = nearest(key, BY_TOML.keys());
      const hint = near === null ? 'see docs/cli.md for the keys' : `did you mean ${near}?`;
      throw failure('OPTION_KEY_UNKNOWN', { option: where, hint });
    }
    requireBuiltIn(spec, where);
    layer.set(spec.flag, [...readTomlValue(spec, where, value)]);
  }
  return layer;
}

/** A line of `[names]` or `[trunks]`: a name, and the addresses and networks that have it. */
function namedBy(name: string, where: string, value: unknown): string[] {
  return textsOf(where, value).map((address) => `${address}=${name}`);
}

function textsOf(where: string, value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((text) => {
    if (typeof text !== 'string') throw failure('VALUE_TYPE', { option: where, cause: 'other' });
    return text;
  });
}

/** Leaves of nested tables as dotted keys. */
function* flatten(table: unknown, above: readonly string[], file: string): Generator<readonly [string, unknown]> {
  if (typeof table !== 'object' || table === null) return;
  if (above.length >= MAX_TOML_DEPTH)
    throw failure('CONFIG_SYNTAX', { path: file, reason: `a key has more than ${MAX_TOML_DEPTH} parts` });
  for (const [key, value] of Object.entries(table)) {
    const path = [...above, key];
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
    if (isTable) yield* flatten(value, path, file);
    else yield [path.join('.'), value];
  }
}

function readTomlValue(spec: OptionSpec, option: string, value: unknown): readonly OptionValue[] {
  const isBool = spec.type.kind === 'bool';
  if (isBool && typeof value !== 'boolean') throw failure('VALUE_TYPE', { option, cause: 'bool' });
  if (!isBool && typeof value === 'boolean') throw failure('VALUE_TYPE', { option, cause: 'text' });
  const isList = Array.isArray(value);
  if (isList && spec.repeatable !== true && spec.type.kind !== 'portrange') {
    throw failure('VALUE_TYPE', { option, cause: 'list' });
  }
  const texts: string[] = [];
  for (const item of isList ? value : [value]) {
    if (!['string', 'number', 'bigint', 'boolean'].includes(typeof item)) {
      throw failure('VALUE_TYPE', { option, cause: 'other' });
    }
    texts.push(String(item));
  }
  const joined = spec.type.kind === 'portrange' ? [texts.join(',')] : texts;
  return joined.map((text) => parseOptionValue(spec.type, text, option));
}
