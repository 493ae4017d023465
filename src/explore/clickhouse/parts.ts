/**
 * Where a call is in the store: a part for each run of an agent that saw its Call-ID. `host:NAME:CALLID` means the parts of that
 * host alone.
 */
import { HUB_PARTS } from '../../core/hub-limits.ts';
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

/** The condition that chooses the rows of `calls` with this Call-ID, by `ids`. */
export function byCallId(callId: string, parameters: SqlParameters): string {
  const text = parameters.add(callId, 'String');
  const ids = `SELECT ${KEY} FROM ids WHERE id = substring(SHA256(${text}), 1, 16) AND text = ${text} AND kind = 'call_id'`;
  return `(${KEY}) IN (${ids}) AND call_id = ${text}`;
}

type PartRow = PartKey & { readonly created_at: string; readonly updated_at: string };

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
  const { callId, host } = readCallName(name);
  const found = await rowsOf<T>(reader, callId, host, columns);
  // A Call-ID may look like such a name.
  return found.length === 0 && host !== null ? rowsOf<T>(reader, name, null, columns) : found;
}

async function rowsOf<T>(
  reader: StoreReader,
  callId: string,
  host: string | null,
  columns: string,
): Promise<readonly PartWith<T>[]> {
  const parameters = new SqlParameters();
  const ofHost = host === null ? '' : ` AND host = ${parameters.add(host, 'String')}`;
  const more = columns === '' ? '' : `, ${columns}`;
  const rows = await reader.rows<PartRow & T>(
    `SELECT ${KEY}, created_at, updated_at${more} FROM calls FINAL WHERE ${byCallId(callId, parameters)}${ofHost}
     ORDER BY created_at DESC, host DESC, boot DESC LIMIT ${ROWS}`,
    parameters,
  );
  return newest(
    rows.map((row) => ({
      host: row.host,
      boot: row.boot,
      number: row.number,
      hour: row.hour,
      createdUs: usOf(row.created_at),
      updatedUs: usOf(row.updated_at),
      row,
    })),
  );
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
