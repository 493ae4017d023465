// Blanks what differs between two runs of one build: what is said here is not compared.
import { createHash } from 'node:crypto';

/** Members of JSON that hold times of the run, identities and figures of the processor; --help prints them. The `created_at` of a vCon besides. */
export const BLANKED = new Set([
  ...['uptime_sec', 'elapsedSec', 'packetsPerSec', 'instance', 'boot', 'stored_at'],
  ...['uuid'],
  // The answers that a busy machine puts off.
  ...['document_requests_refused', 'stdout_lines_lost', 'stderr_lines_lost'],
  // How often the program looked, and how it is built inside.
  ...['dialog_generation', 'stream_generation'],
]);
const GAP = '<blank>';

/**
 * By the kind of the run, besides: what a live one has seen and shipped at the moment of the question, and how far a hub's agent
 * is. The cursor of a hub names the run of the agent.
 */
const BLANKED_OF = {
  file: new Set(),
  live: new Set(['capture_time']),
  hub: new Set([
    'capture_time',
    'next_cursor',
    'started_at',
    'last_heartbeat',
    'delay_sec',
    'rows_made',
    'rows_stored',
  ]),
};

/** Families of metrics whose values are the machine's; their names and labels are compared. */
const MEASURED = {
  file: /^(process_|nodejs_|calltap_loop_|calltap_api_)/,
  live: /^(process_|nodejs_|calltap_loop_|calltap_api_|calltap_ship_)/,
  hub: /^(process_|nodejs_|calltap_loop_|calltap_api_|calltap_hub_(agent_rows|heartbeat|store_q|agent_q))/,
};
/** On standard error: a decoder's own words, of which chance decides how many come before the end, and what a busy machine does. */
const NOISE = /^(libopus .*|calltap: the main thread did nothing else for .*)(\n|$)/gm;

/** Also behind the n of a line break that is written as two characters. */
const UUID = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/g;

/** A normaliser for one run: `own` are texts of that run alone (its version, its ports, its folder), each with a name. */
export class Normal {
  #own;
  #kind;

  constructor(own, kind = 'file') {
    this.#kind = kind;
    this.#own = Object.entries(own).filter(([, text]) => text !== '');
  }

  /** Any text: identities, what is the run's own, and how long something took. */
  text(text) {
    let t = text
      .replace(NOISE, '')
      .replace(UUID, '<uuid>')
      .replace(/127\.0\.0\.1:\d{4,5}\b/g, '127.0.0.1:<port>');
    for (const [name, own] of this.#own) t = t.replaceAll(own, `<${name}>`);
    if (this.#kind === 'live') t = t.replace(/\d+\.\d+ s behind ours/g, '<time> behind ours');
    if (this.#kind === 'hub') t = t.replace(/hour is looked at, from [^;]+;/g, 'hour is looked at, from <time>;');
    return t.replace(/\bin \d+(\.\d+)? (ms|s)\b/g, 'in <time>').replace(/\bpid \d+/g, 'pid <pid>');
  }

  /** JSON over many lines, the members of each object by name; whether it was compact, as documents are, is said first. */
  json(text) {
    let document;
    try {
      document = JSON.parse(text);
    } catch {
      return `no JSON: ${this.text(text)}`;
    }
    const form = JSON.stringify(document) === text.trim() ? 'compact' : 'spaced';
    return `${form} ${this.text(JSON.stringify(document, (key, value) => this.#blank(key, value), 1))}`;
  }

  /** JSON, one document a line. */
  jsonLines(text) {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => this.json(line))
      .join('\n');
  }

  /** A vCon says when it was made in `created_at`, which elsewhere is a fact of the capture: there it stands beside `vcon`. */
  #blank(key, value) {
    const isOfRun = BLANKED.has(key) || BLANKED_OF[this.#kind].has(key);
    // A schema that describes the member is no value of it.
    if (isOfRun && typeof value !== 'object') return GAP;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    // Members of an object have no order (RFC 8259).
    return Object.fromEntries(inOrder(typeof value.vcon === 'string' ? { ...value, created_at: GAP } : value));
  }

  metrics(text) {
    return text
      .split('\n')
      .map((line) => (MEASURED[this.#kind].test(line) ? line.replace(/ \S+$/, ` ${GAP}`) : this.text(line)))
      .join('\n');
  }
}

/** Members of an object by name: [name, value]. */
export function inOrder(object) {
  return Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
}

export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes that are compared as a whole. */
export function digestOf(bytes) {
  return `${bytes.length} bytes, SHA-256 ${sha256(bytes)}`;
}
