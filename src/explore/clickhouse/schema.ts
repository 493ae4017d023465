/**
 * The statements that make a store: those of deploy/store/schema.sql for one server, or made from them for a cluster. There
 * each table is replicated under the name TABLE_local, and a distributed table has its own name.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/package.ts';

/** All versions of a row go to one shard: FINAL sees no others. The rows of a call stay together. */
const SHARD_OF_CALL = 'cityHash64(host, boot, number)';
const SHARD_OF_AGENT = 'cityHash64(host, boot)';
const LOCAL = '_local';

/** The file of this package. */
export function readSchema(): string[] {
  return statementsOf(readFileSync(join(packageRoot(), 'deploy/store/schema.sql'), 'utf8'));
}

/** Statements without comments and semicolons, in their order. A comment has a line of its own. */
export function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** The comment on `agents` that names the number of a schema. */
export const SCHEMA_COMMENT = /calltap schema (\d+)/;

/** The number that the statements leave in the store. */
export function schemaNumber(statements: readonly string[]): number {
  return Number(SCHEMA_COMMENT.exec(statements.at(-1) ?? '')?.[1] ?? 0);
}

/** The tables that the statements make, in their order. */
export function tablesOf(statements: readonly string[]): string[] {
  return statements.flatMap((statement) => /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement)?.[1] ?? []);
}

/**
 * The same for a cluster of this name. Throws an Error for a statement that has no such form: schema.sql has no other ones.
 */
export function forCluster(statements: readonly string[], cluster: string): string[] {
  const name = quoted(cluster);
  return statements.flatMap((statement) => {
    const [, verb = '', table = '', rest = ''] =
      /^(CREATE TABLE IF NOT EXISTS|ALTER TABLE) (\w+)\s+(.*)$/s.exec(statement) ?? [];
    const local = `${verb} ${table}${LOCAL} ON CLUSTER ${name}`;
    if (verb === 'CREATE TABLE IF NOT EXISTS') {
      const shard = /^ {4}number /m.test(rest) ? SHARD_OF_CALL : SHARD_OF_AGENT;
      const engine = `Distributed(${name}, currentDatabase(), ${table}${LOCAL}, ${shard})`;
      return [
        `${local}\n${replicated(rest)}`,
        `${verb} ${table} ON CLUSTER ${name} AS ${table}${LOCAL}\nENGINE = ${engine}`,
      ];
    }
    if (verb === 'ALTER TABLE' && /^(?:ADD COLUMN IF NOT EXISTS|MODIFY COLUMN) /.test(rest))
      return [`${local} ${rest}`, `${verb} ${table} ON CLUSTER ${name} ${rest}`];
    if (verb === 'ALTER TABLE' && /^MODIFY (COMMENT|TTL) /.test(rest)) return [`${local} ${rest}`];
    throw new Error(`no form for a cluster: ${statement.slice(0, 80)}`);
  });
}

/** The macros are those of each server's configuration. */
function replicated(rest: string): string {
  const place = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;
  const made = rest.replace('ENGINE = ReplacingMergeTree(', `ENGINE = ReplicatedReplacingMergeTree(${place}, `);
  if (made === rest) throw new Error(`no engine that can be replicated: ${rest.slice(0, 80)}`);
  return made;
}

/** A text of SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A name of SQL. */
export function named(text: string): string {
  return `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
