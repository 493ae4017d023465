/**
 * Where a call is in the store: a part for each run of an agent that saw its Call-ID. `host:NAME:CALLID` means the parts of that
 * host alone.
 */
import type { Static, TObject, TProperties } from 'typebox';
import { grouped } from '../../core/maps.ts';
import { usOf } from '../../core/timestamp.ts';
import { COUNT, columnsOf, rowShape, TEXT, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

/** Parts of a call, one a host that saw it. @cap */
export const HUB_PARTS = 64;

export type PartKey = {
  readonly host: string;
  readonly boot: string;
  readonly number: number;
  /** As the store has it. */
  readonly hour: string;
};

export type Part = PartKey & {
  readonly createdUs: number;
  readonly updatedUs: number;
};

/** The key of a row of `calls`. */
export const KEY = 'hour, host, boot, number';

/** A Call-ID may come again: what begins so long after the end of all before it is another call. */
const APART_US = 3_600e6;
const ROWS = 1_000;

export type CallName = { readonly callId: string /** Null: all hosts. */; readonly host: string | null };

export function readCallName(text: string): CallName {
  const [, host, callId] = /^host:([A-Za-z0-9._-]{1,64}):(.+)$/s.exec(text) ?? [];
  return host === undefined || callId === undefined ? { callId: text, host: null } : { callId, host };
}

export function callName({ callId, host }: CallName): string {
  return host === null ? callId : `host:${host}:${callId}`;
}

/** The condition that chooses the rows of `calls` with these Call-IDs, by `ids`. */
function byCallIds(callIds: readonly string[], parameters: SqlParameters): string {
  const wanted = parameters.add(callIds, 'Array(String)');
  const digests = callIds.map((callId) => `substring(SHA256(${parameters.add(callId, 'String')}), 1, 16)`);
  const ids = `SELECT ${KEY} FROM ids WHERE id IN (${digests.join(', ')}) AND has(${wanted}, text) AND kind = 'call_id'`;
  return `(${KEY}) IN (${ids}) AND has(${wanted}, call_id)`;
}

const PART = { hour: TIME, host: TEXT, boot: TEXT, number: COUNT, call_id: TEXT, created_at: TIME, updated_at: TIME };
const PART_ROW = rowShape(PART);
type PartRow = Static<typeof PART_ROW>;

/** Further columns of a part: how the statement asks for them, and what they are. */
export type Columns<P extends TProperties> = { readonly sql: string; readonly shapes: P };

/** A part, and what else was asked of its row. */
export type PartWith<P extends TProperties> = Part & { readonly row: PartRow & Static<TObject<P>> };

export const NO_COLUMNS = { sql: '', shapes: {} };

/** The parts of the newest call of this name: who saw the first message first is first, of equals the lower host. */
export function partsOf(reader: StoreReader, name: string): Promise<readonly Part[]> {
  return partsWith(reader, name, NO_COLUMNS);
}

/** The same with further columns of each row. */
export async function partsWith<P extends TProperties>(
  reader: StoreReader,
  name: string,
  columns: Columns<P>,
): Promise<readonly PartWith<P>[]> {
  return (await partsOfAll(reader, [name], columns))[0] ?? [];
}

/** The same of several names at once, in their order. */
export async function partsOfAll<P extends TProperties>(
  reader: StoreReader,
  names: readonly string[],
  columns: Columns<P>,
): Promise<(readonly PartWith<P>[])[]> {
  if (names.length === 0) return [];
  const parameters = new SqlParameters();
  const called = names.map(readCallName);
  // A Call-ID may look like the name of a part.
  const callIds = [...new Set([...called.map(({ callId }) => callId), ...names])];
  const rows = await reader.rows(
    rowShape({ ...PART, ...columns.shapes }),
    `SELECT ${columnsOf(PART_ROW)}${columns.sql === '' ? '' : `, ${columns.sql}`} FROM calls FINAL
     WHERE ${byCallIds(callIds, parameters)}
     ORDER BY created_at DESC, host DESC, boot DESC LIMIT ${ROWS} BY call_id`,
    parameters,
    ROWS * callIds.length,
  );
  // A row has the columns of both.
  const found = (rows as PartWith<P>['row'][]).map(partIn);
  const byCallId = grouped(found, ({ row }) => row.call_id);
  return names.map((name, i) => {
    const { callId, host } = called[i] ?? readCallName(name);
    const ofName = (byCallId.get(callId) ?? []).filter((part) => host === null || part.host === host);
    return newest(ofName.length === 0 && host !== null ? (byCallId.get(name) ?? []) : ofName);
  });
}

function partIn<R extends PartRow>(row: R): Part & { readonly row: R } {
  const { host, boot, number, hour } = row;
  return { host, boot, number, hour, createdUs: usOf(row.created_at), updatedUs: usOf(row.updated_at), row };
}

/** Newest first; those of an earlier call are left out. */
function newest<T extends Part>(parts: readonly T[]): T[] {
  const call: T[] = [];
  let beginsUs = Number.POSITIVE_INFINITY;
  // When the last of this one and of all earlier ones ended.
  const endsUs = parts.map(({ updatedUs }) => updatedUs);
  for (let i = endsUs.length - 2; i >= 0; i--) endsUs[i] = Math.max(endsUs[i] ?? 0, endsUs[i + 1] ?? 0);
  for (const [i, part] of parts.entries()) {
    if (call.length > 0 && (endsUs[i] ?? 0) < beginsUs - APART_US) break;
    call.push(part);
    beginsUs = part.createdUs;
  }
  return call.reverse().slice(0, HUB_PARTS);
}
