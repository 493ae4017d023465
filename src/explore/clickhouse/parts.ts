/**
 * Where a call is in the store: a part for each run of an agent that saw its Call-ID. `host:NAME:CALLID` means the parts of that
 * host alone.
 */
import { HUB_PARTS } from '../../core/hub-limits.ts';
import { grouped } from '../../core/maps.ts';
import { SqlParameters, usOf } from './sql.ts';
import type { StoreReader } from './store-reader.ts';

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

type PartRow = PartKey & { readonly call_id: string; readonly created_at: string; readonly updated_at: string };

/** A part, and what else was asked of its row. */
export type PartWith<T> = Part & { readonly row: T };

/** The parts of the newest call of this name: who saw the first message first is first, of equals the lower host. */
export function partsOf(reader: StoreReader, name: string): Promise<readonly Part[]> {
  return partsWith(reader, name, '');
}

/** The same with further columns of each row. */
export async function partsWith<T>(
  reader: StoreReader,
  name: string,
  columns: string,
): Promise<readonly PartWith<T>[]> {
  return (await partsOfAll<T>(reader, [name], columns))[0] ?? [];
}

/** The same of several names at once, in their order. */
export async function partsOfAll<T>(
  reader: StoreReader,
  names: readonly string[],
  columns: string,
): Promise<(readonly PartWith<T>[])[]> {
  if (names.length === 0) return [];
  const parameters = new SqlParameters();
  const called = names.map(readCallName);
  // A Call-ID may look like the name of a part.
  const callIds = [...new Set([...called.map(({ callId }) => callId), ...names])];
  const rows = await reader.rows<PartRow & T>(
    `SELECT ${KEY}, call_id, created_at, updated_at${columns === '' ? '' : `, ${columns}`} FROM calls FINAL
     WHERE ${byCallIds(callIds, parameters)}
     ORDER BY created_at DESC, host DESC, boot DESC LIMIT ${ROWS} BY call_id`,
    parameters,
  );
  const byCallId = grouped(rows.map(partIn), ({ row }) => row.call_id);
  return names.map((name, i) => {
    const { callId, host } = called[i] ?? readCallName(name);
    const found = (byCallId.get(callId) ?? []).filter((part) => host === null || part.host === host);
    return newest(found.length === 0 && host !== null ? (byCallId.get(name) ?? []) : found);
  });
}

function partIn<T extends PartRow>(row: T): PartWith<T> {
  const { host, boot, number, hour } = row;
  return { host, boot, number, hour, createdUs: usOf(row.created_at), updatedUs: usOf(row.updated_at), row };
}

/** Newest first; those of an earlier call are left out. */
function newest<T extends Part>(parts: readonly T[]): T[] {
  const call: T[] = [];
  let beginsUs = Number.POSITIVE_INFINITY;
  for (const [i, part] of parts.entries()) {
    const endsUs = parts.slice(i).reduce((us, one) => Math.max(us, one.updatedUs), 0);
    if (call.length > 0 && endsUs < beginsUs - APART_US) break;
    call.push(part);
    beginsUs = part.createdUs;
  }
  return call.reverse().slice(0, HUB_PARTS);
}
