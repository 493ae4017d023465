/** Makes the keys of the filter that ask for one field of a call, from the table of fields and its readers. */
import { FIELD_READERS, figureReaderOf } from '../analysis/call-field-readers.ts';
import type { NamedField } from '../core/call-fields.ts';
import { FIELDS } from '../core/call-fields.ts';
import type { KeyKind } from './key-kinds.ts';
import { choice, code, number, text } from './key-kinds.ts';
import type { Subject } from './subject.ts';
import type { Units } from './value.ts';
import { IN_MS, IN_PERCENT, IN_SEC } from './value.ts';

export type Key = {
  readonly key: string;
  readonly kind: KeyKind;
  readonly example: string;
  readonly help: string;
};

/** How numbers of a field are written, and what help calls them. */
export function unitsOf({ kind, unit, title = '' }: NamedField): readonly [values: string, units: Units] {
  if (kind === 'seconds') return ['time', IN_SEC];
  if (kind === 'milliseconds' || unit === 'ms') return ['time', IN_MS];
  return unit === '%' ? ['percent', IN_PERCENT] : [title, {}];
}

function kindOf(field: NamedField): KeyKind {
  const [level, read] = FIELD_READERS[field.name];
  // Each value is of the kind of its field.
  const texts = (s: Subject): string[] => {
    const value = read(s) as string | string[] | undefined;
    return typeof value === 'string' ? [value] : (value ?? []);
  };
  const { read: figure, levelOf } = figureReaderOf(field);
  const { kind, words = [] } = field;
  if (kind === 'word') return choice(level, words, texts);
  if (kind === 'text' || kind === 'texts') return { ...text(level, texts), words };
  return kind === 'code' ? code(level, figure) : number(...unitsOf(field), level, figure, levelOf);
}

export const FIELD_KEYS: ReadonlyMap<string, Key> = new Map(
  FIELDS.flatMap((field) => {
    const { key, filter } = field;
    if (key === undefined || filter === undefined) return [];
    const [example, help] = filter;
    return [[key, { key, kind: kindOf(field), example, help }]];
  }),
);
