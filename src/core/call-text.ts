/**
 * Writes what a call has of a field, for people: with its unit, '' where nothing is known. The command line, the terminal, the
 * console and comparisons of calls show these texts.
 */
import type { Call, FieldName, NamedField } from './call-fields.ts';
import { fieldValue, worstWord } from './call-fields.ts';

/** Why some of the loss of a call is not known; and in a column. */
export const NOT_KNOWN = 'not known: this capture dropped packets then';
export const NOT_KNOWN_SHORT = 'not known';

/** Fields whose text tells of others too; `text` is their own. */
const OWN: Partial<Readonly<Record<FieldName, (call: Call, text: string) => string>>> = {
  from_user: (c, text) => text || (c.from_host ?? ''),
  to_user: (c, text) => text || (c.to_host ?? ''),
  // A summary, which changes tell, has that of an INVITE alone.
  code: (c, text) => text || String(c.final_status_code ?? ''),
  reason: (c, text) => text || (c.final_status_reason ?? ''),
  mos_worst: (c, text) => text || (c.not_known === undefined ? '' : NOT_KNOWN_SHORT),
  loss_pct_max: (c, text) => (c.loss_pct_max === 0 && c.not_known !== undefined ? NOT_KNOWN_SHORT : text),
};

export function fieldText(call: Call, field: NamedField): string {
  const worst = worstWord(call, field);
  if (worst !== undefined) return worst;
  const text = plainText(call, field);
  return OWN[field.name]?.(call, text) ?? text;
}

function plainText(call: Call, field: NamedField): string {
  const value = fieldValue(call, field) ?? '';
  if (value === '') return '';
  switch (field.kind) {
    case 'texts':
      return (value as string[]).join(', ');
    case 'seconds':
      return `${value} s`;
    case 'milliseconds':
      return `${value} ms`;
    case 'figure':
      return [(value as number).toFixed(field.digits), ...(field.unit === undefined ? [] : [field.unit])].join(' ');
    default:
      return String(value);
  }
}

/** The same for programs: whole, without units, and '' where a figure is not known, or is not what the call is worth. */
export function fieldData(call: Call, field: NamedField): string {
  if (worstWord(call, field) !== undefined) return '';
  const value = fieldValue(call, field) ?? '';
  switch (field.kind) {
    case 'texts':
      return Array.isArray(value) ? value.join(' ') : '';
    case 'figure':
      return typeof value === 'number' ? value.toFixed(field.digits) : '';
    case 'seconds':
    case 'milliseconds':
      return String(value);
    default:
      return fieldText(call, field);
  }
}
