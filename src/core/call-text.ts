/**
 * Writes what a call has of a field, for people: with its unit, '' where nothing is known. The command line, the terminal, the
 * console and comparisons of calls show these texts.
 */
import type { Call, FieldName, NamedField } from './call-fields.ts';
import { fieldValue } from './call-fields.ts';

/** Why some of the loss of a call is not known; and in a column. */
export const NOT_KNOWN = 'not known: this capture dropped packets then';
export const NOT_KNOWN_SHORT = 'not known';

/** Fields whose text tells of others too. */
const OWN: Partial<Readonly<Record<FieldName, (call: Call) => string>>> = {
  from_user: (c) => c.from_user ?? c.from_host ?? '',
  to_user: (c) => c.to_user ?? c.to_host ?? '',
  // A summary, which changes tell, has that of an INVITE alone.
  code: (c) => String(c.code ?? c.final_status_code ?? ''),
  reason: (c) => c.reason ?? c.final_status_reason ?? '',
  mos_worst: (c) => c.mos_worst?.toFixed(2) ?? (c.not_known === undefined ? '' : NOT_KNOWN_SHORT),
  loss_pct_max: (c) => {
    const pct = c.loss_pct_max;
    if (pct === undefined) return '';
    return pct === 0 && c.not_known !== undefined ? NOT_KNOWN_SHORT : `${pct.toFixed(1)} %`;
  },
};

export function fieldText(call: Call, field: NamedField): string {
  const own = OWN[field.name];
  if (own !== undefined) return own(call);
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

/** The same for programs: whole, and without units. */
export function fieldData(call: Call, field: NamedField): string {
  const value = fieldValue(call, field) ?? '';
  if (Array.isArray(value)) return value.join(' ');
  return field.kind === 'figure' && typeof value === 'number' ? value.toFixed(field.digits) : String(value);
}
