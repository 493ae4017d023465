/**
 * Speaks to the store that --store names: ClickHouse's HTTP interface. A statement goes as the body of a request, its values and
 * settings as parameters of the URL.
 */
import type { IncomingMessage } from 'node:http';
import { beginningOf } from '../../net/answer.ts';
import { RemoteFailure } from '../../net/failures.ts';
import { HttpClient } from '../../net/http-client.ts';
import { StoreRefusal } from './failures.ts';
import { type StoreLogin, type StorePlace, storeLookup } from './place.ts';
import type { SqlValue } from './sql.ts';

/** Bytes of what an error of the store says. @cap */
export const STORE_SAID_BYTES = 64 * 1024;

export type Statement = {
  readonly sql: string;
  readonly values?: Readonly<Record<string, SqlValue>>;
  readonly settings?: Readonly<Record<string, string | number>>;
};

export class Store {
  readonly #client: HttpClient;
  readonly #headers: { readonly authorization: string; readonly 'user-agent': string };
  readonly #database: string | null;

  /**
   * Of this database, or of none where that is null. Nothing is connected yet. Throws RemoteFailure where the password may not
   * go. Whoever opens closes.
   */
  constructor(place: StorePlace, login: StoreLogin, database: string | null) {
    const token = Buffer.from(`${login.user ?? 'default'}:${login.password ?? ''}`).toString('base64');
    this.#headers = { authorization: `Basic ${token}`, 'user-agent': 'calltap' };
    this.#database = database;
    this.#client = new HttpClient({ ...place, ca: login.ca }, storeLookup(place, login));
  }

  /** The answer of 200 once its head came; whoever reads it bounds it. Rejects with what storeFailure() knows. */
  async open({ sql, values = {}, settings = {} }: Statement, ms: number): Promise<IncomingMessage> {
    const until = performance.now() + ms;
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) asked.append(`param_${name}`, parameterText(value));
    for (const [name, value] of Object.entries(settings)) asked.append(name, String(value));
    if (this.#database !== null) asked.append('database', this.#database);
    const answer = await this.#client.ask({ path: `/?${asked}`, headers: this.#headers, body: sql }, ms);
    const { statusCode: status = 0, headers } = answer;
    if (status === 200) return answer;
    const said = await saidIn(answer, until - performance.now());
    if (status >= 300 && status < 400)
      throw new RemoteFailure('lost', `it sends calltap to another place (${status})`, 'give the address that answers');
    const code = String(headers['x-clickhouse-exception-code'] ?? '');
    throw refusalIn(said) ?? new StoreRefusal(/^\d{1,6}$/.test(code) ? code : '', `status ${status}`);
  }

  /** Does what the statement says; nothing comes back. Rejects as open() does. */
  async command(statement: Statement, ms: number): Promise<void> {
    const until = performance.now() + ms;
    const answer = await this.open(statement, ms);
    const said = refusalIn(await saidIn(answer, until - performance.now()));
    if (said !== null) throw said;
  }

  close(): void {
    this.#client.close();
  }
}

/** The error that a text of the store has; null where it has none. */
export function refusalIn(text: string): StoreRefusal | null {
  const [, code, said = ''] = /\bCode: (\d{1,6})\. DB::Exception: ([^\r\n]*)/.exec(text) ?? [];
  // The name of the number and the version of the store say nothing more.
  return code === undefined ? null : new StoreRefusal(code, said.replace(/ \([A-Z_]+\) \(version [^()]*\)$/, ''));
}

/** What an error says: the rest of a long one is not read. */
async function saidIn(answer: IncomingMessage, ms: number): Promise<string> {
  return (await beginningOf(answer, { bytes: STORE_SAID_BYTES, ms })).toString('utf8');
}

/** As ClickHouse reads a value of a statement. */
function parameterText(value: SqlValue): string {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return escaped(value);
  return `[${value.map((one) => (typeof one === 'number' ? numberText(one) : `'${escaped(one)}'`)).join(',')}]`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+inf' : '-inf';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};

function escaped(text: string): string {
  return text.replaceAll(/[\t\n\r'\\]/g, (c) => ESCAPES[c] ?? c);
}
