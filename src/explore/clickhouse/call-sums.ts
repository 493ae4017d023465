/**
 * Calls summed up by the store: what is wrong with them, how they failed, and who registers. A call that several hosts saw
 * counts once, by the part that saw its first message.
 */
import type { AskFindings, AskRegistration, AskRegistrations } from '../../contract/index.ts';
import { rounded } from '../../core/rounded.ts';
import { EFFECTIVE_FAILURES } from '../../store/dialogs/call-outcome.ts';
import { MAX_REGISTRATIONS_SHOWN } from '../../view/ask-registrations.ts';
import { FLEET_FINDINGS } from '../limits.ts';
import type { CallsQuestion } from '../question.ts';
import type { Asking } from './filter-sql.ts';
import { filterSql } from './filter-sql.ts';
import { COUNT, rowShape, TEXT, TEXTS, TIME } from './row-shapes.ts';
import { SqlParameters } from './sql.ts';
import type { StoreReader } from './store-reader.ts';
import { readBinding } from './stored-document.ts';

const EXAMPLES = 5;
const CODES = 50;

/** Each call once: its figures are those of the part that saw the first message. */
function once(where: string): string {
  return `SELECT argMin(method, created_at) AS opened, argMin(state, created_at) AS ended, argMin(code, created_at) AS final,
    argMin(pdd_ms, created_at) AS delay FROM calls FINAL WHERE ${where} GROUP BY call_hash`;
}

/** The same of calls of which a part is like that. `columns` are made of all parts. */
function onceOf(where: string, part: string, columns: string): string {
  return `SELECT call_hash, min(created_at) AS at, ${columns} FROM calls FINAL
    WHERE ${where} AND call_hash IN (SELECT call_hash FROM calls FINAL WHERE ${where} AND ${part}) GROUP BY call_hash`;
}

/** Of the newest calls, as texts: a number of JSON has 53 bits. */
const NEWEST = `arrayMap(x -> toString(x.2), groupArraySorted(${EXAMPLES})((-toUnixTimestamp64Micro(at), call_hash)))`;

const RATIOS = rowShape({ calls: COUNT, tried: COUNT, answered: COUNT, effective: COUNT, delays: COUNT, p95: COUNT });
const FOUND = rowShape({ finding: TEXT, calls: COUNT, newest_at: TIME, hashes: TEXTS });
const CODE = rowShape({ code: COUNT, reason: TEXT, calls: COUNT, hashes: TEXTS });
const NAMED = rowShape({ hash: TEXT, name: TEXT });

/** Rejects with a refusal. `wrong` is told by what knows trunks. */
export async function findingsOf(
  reader: StoreReader,
  asking: Asking,
  { filter }: CallsQuestion,
  wrong: () => Promise<Pick<AskFindings, 'trunks_down' | 'trunks_troubled'>>,
): Promise<AskFindings> {
  const parameters = new SqlParameters();
  const { where } = filterSql(filter, asking, parameters);
  const isTried = `opened = 'INVITE' AND ended NOT IN ('Trying', 'Ringing')`;
  const isAnswered = 'final BETWEEN 200 AND 299';
  const [ratios, findings, codes, trunks] = await Promise.all([
    reader.row(
      RATIOS,
      `SELECT count() AS calls, countIf(${isTried}) AS tried, countIf(${isTried} AND ${isAnswered}) AS answered,
         countIf(${isTried} AND (${isAnswered} OR final IN (${EFFECTIVE_FAILURES.join(', ')}))) AS effective,
         countIf(${isTried} AND isNotNull(delay)) AS delays,
         ifNull(arraySort(groupArrayIf(assumeNotNull(delay), ${isTried} AND isNotNull(delay)))[toUInt64(ceil(0.95 * delays))], 0) AS p95
       FROM (${once(where)})`,
      parameters,
    ),
    reader.rows(
      FOUND,
      `SELECT finding, count() AS calls, max(at) AS newest_at, ${NEWEST} AS hashes
       FROM (${onceOf(where, 'notEmpty(findings)', 'groupUniqArrayArray(findings) AS wrong')}) ARRAY JOIN wrong AS finding GROUP BY finding ORDER BY calls DESC, finding LIMIT ${FLEET_FINDINGS}`,
      parameters,
      FLEET_FINDINGS,
    ),
    reader.rows(
      CODE,
      `SELECT final AS code, phrase AS reason, count() AS calls, ${NEWEST} AS hashes
       FROM (${onceOf(where, 'code >= 400', 'argMin(code, created_at) AS final, argMin(reason, created_at) AS phrase')}) WHERE final >= 400 GROUP BY code, reason ORDER BY calls DESC, code, reason LIMIT ${CODES}`,
      parameters,
      CODES,
    ),
    wrong(),
  ]);
  const nameOf = await namesOf(
    reader,
    where,
    parameters,
    [...findings, ...codes].flatMap(({ hashes }) => hashes),
  );
  const named = <T extends { readonly hashes: string[] }>({ hashes, ...row }: T) => ({
    ...row,
    call_ids: hashes.map((hash) => nameOf.get(hash) ?? ''),
  });
  const { calls: looked, tried, answered, effective, delays, p95 } = ratios;
  const share = (part: number): number => rounded((100 * part) / tried, 1);
  return {
    schema_version: 1,
    calls: looked,
    ratios: {
      tried,
      answered,
      effective,
      ...(tried === 0 ? {} : { asr_pct: share(answered), ner_pct: share(effective) }),
      ...(delays === 0 ? {} : { pdd_p95_ms: p95 }),
    },
    ...trunks,
    findings: findings.map(named),
    codes: codes.map(named),
  };
}

/** The Call-IDs of these digests. */
async function namesOf(
  reader: StoreReader,
  where: string,
  parameters: SqlParameters,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(hashes)];
  if (wanted.length === 0) return new Map();
  const rows = await reader.rows(
    NAMED,
    `SELECT toString(call_hash) AS hash, any(call_id) AS name FROM calls
     WHERE ${where} AND call_hash IN (SELECT toUInt64(arrayJoin(${parameters.add(wanted, 'Array(String)')}))) GROUP BY call_hash
     LIMIT ${wanted.length}`,
    parameters,
    wanted.length,
  );
  return new Map(rows.map(({ hash, name }) => [hash, name]));
}

const REGISTRATION = rowShape({
  user: TEXT,
  address: TEXT,
  total: COUNT,
  attempts: COUNT,
  failed: COUNT,
  ended: TEXT,
  last_at: TIME,
  agent: TEXT,
  final: COUNT,
  phrase: TEXT,
  call: TEXT,
  bound: TEXT,
});

export async function registrationsOf(
  reader: StoreReader,
  asking: Asking,
  { filter }: CallsQuestion,
): Promise<AskRegistrations> {
  const parameters = new SqlParameters();
  const { where } = filterSql(filter, asking, parameters);
  const rows = await reader.rows(
    REGISTRATION,
    `SELECT to_user AS user, src_host AS address, count() OVER () AS total, count() AS attempts,
       countIf(state = 'Failed') AS failed, argMax(state, created_at) AS ended, argMax(updated_at, created_at) AS last_at,
       argMax(user_agent, created_at) AS agent, argMax(code, created_at) AS final, argMax(reason, created_at) AS phrase,
       argMax(call_id, created_at) AS call, argMax(binding, created_at) AS bound
     FROM calls FINAL WHERE method = 'REGISTER' AND ${where}
     GROUP BY user, address ORDER BY max(created_at) DESC, user, address LIMIT ${MAX_REGISTRATIONS_SHOWN}`,
    parameters,
    MAX_REGISTRATIONS_SHOWN,
  );
  return {
    schema_version: 1,
    total: rows[0]?.total ?? 0,
    registrations: rows.map((row): AskRegistration => {
      const name = asking.names.of(row.address);
      return {
        user: row.user,
        src: row.address,
        ...(name === null ? {} : { name }),
        state: row.ended,
        attempts: row.attempts,
        failed: row.failed,
        last_at: row.last_at,
        ...(row.agent === '' ? {} : { user_agent: row.agent }),
        ...(row.final === 0 ? {} : { code: row.final }),
        ...(row.phrase === '' ? {} : { reason: row.phrase }),
        call_id: row.call,
        ...readBinding(row.bound),
      };
    }),
  };
}
