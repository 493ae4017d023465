// What --ship sends: a store that takes everything keeps the newest version of each row, by its key.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EVERY_PORT } from './command-line.mjs';

/** What a row is known by, beside host and boot: the order of deploy/store/schema.sql. */
const KEYS = {
  calls: ['hour', 'number'],
  ids: ['text', 'kind', 'hour', 'number'],
  messages: ['hour', 'number', 'message'],
  streams: ['hour', 'number', 'stream'],
  minute: ['minute', 'trunk', 'direction'],
  agents: [],
};
/** Of the run: which version of a row it is, and what the agent says of itself at that moment. */
const OF_RUN = ['version', 'boot', 'at_of_agent', 'api', 'rows_made', 'rows_stored'];

export class Store {
  #rows = new Map();
  #server = createServer((request, response) => void this.#take(request, response));

  async start() {
    await new Promise((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/calltap`;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #take(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const query = new URL(request.url, 'http://store').searchParams.get('query') ?? '';
    const table = /^INSERT INTO (\w+) /.exec(query)?.[1] ?? query;
    const bytes = Buffer.concat(chunks);
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
    for (const line of text.split('\n').filter((l) => l !== '')) this.#keep(table, line);
    response.writeHead(200).end();
  }

  #keep(table, line) {
    const row = JSON.parse(line);
    const key = `${table} ${(KEYS[table] ?? Object.keys(row)).map((name) => `${name}=${row[name]}`).join(' ')}`;
    const before = this.#rows.get(key);
    if (before === undefined || Number(before.version) <= Number(row.version)) this.#rows.set(key, row);
  }

  /** Rows in the order of their keys, documents taken apart. */
  rows() {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

export function addRows(store, normal, answers) {
  for (const [key, row] of store.rows()) {
    const shown = Object.entries(row).map(([name, value]) => {
      const isOfRun = OF_RUN.includes(name) || (key.startsWith('agents') && ['at', 'started_at'].includes(name));
      if (isOfRun) return [name, '<blank>'];
      return [name, name === 'document' && typeof value === 'string' ? JSON.parse(value) : value];
    });
    answers.add(`row of ${key}`, normal.json(JSON.stringify(Object.fromEntries(shown))));
  }
}

/** A run over the capture that ships all of it. */
export async function askShipped(build, file, cwd, normal, answers) {
  const store = new Store();
  await store.start();
  const spool = mkdtempSync(join(cwd, 'spool-'));
  try {
    const options = ['--ship', store.url, '--ship-spool', spool, '--ship-host', 'here', '--ship-messages', 'full'];
    const { code, err } = await build.run([file, ...EVERY_PORT, '--show', 'findings', ...options], cwd);
    answers.add('calltap --ship', `code ${code}\n${normal.text(err)}`);
    addRows(store, normal, answers);
  } finally {
    await store.stop();
    rmSync(spool, { recursive: true, force: true });
  }
}
