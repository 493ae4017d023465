// Asks what an OpenAPI document offers: each GET for each call and stream, its parameters one by one with good and bad values.
// The document is that of the build, so a route or a parameter that one build has alone is a difference.
import { digestOf, inOrder } from './normal.mjs';

/** Headers that say something of an answer; the others are of the connection. */
const HEADERS = ['content-type', 'content-disposition', 'cache-control', 'allow', 'retry-after', 'www-authenticate'];
const TEXTS = /json|^text\//;
/** So many calls get each parameter; the others are asked without. */
const CLOSELY = 2;

/** The answer to one request, as text. */
export function shown(answer, normal) {
  const type = answer.headers['content-type'] ?? '';
  const headers = Object.entries(answer.headers)
    .filter(([name]) => HEADERS.includes(name) || name.startsWith('x-service-'))
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
  return [`status ${answer.status}`, ...headers, body(answer, type, normal)].join('\n');
}

function body({ bytes, text }, type, normal) {
  if (type.includes('json')) return normal.json(text);
  if (!TEXTS.test(type) && bytes.length > 0) return digestOf(bytes);
  return text.startsWith('# HELP') ? normal.metrics(text) : normal.text(text);
}

/** Values of a parameter by its schema: all of a list, the ends of a range, and what is refused. */
function valuesOf({ name, schema }) {
  const bad = ['', 'no such value', '-1', '1e3', '\u0000'];
  if (schema.enum !== undefined) return [...schema.enum, ...bad.slice(0, 2)];
  if (schema.type === 'boolean') return ['true', 'false', ...bad.slice(0, 2)];
  if (schema.type === 'integer') return ['0', '1', '3', '9007199254740991', '9007199254740992', '1.5', ...bad];
  if (schema.type === 'number') return ['0', '1', '2.5', '4.2', '5', 'NaN', ...bad];
  if (name === 'from') return ['.', '^2', 'a|b', '(', '(?=a)', 'x'.repeat(257)];
  return ['', 'x'.repeat((schema.maxLength ?? 256) + 1)];
}

/** Paths of one operation: without parameters, then with each of them, one unknown and one given twice. */
function pathsOf(path, parameters, isClosely) {
  const plain = path;
  if (!isClosely) return [plain];
  const inQuery = parameters.filter((p) => p.in === 'query');
  const each = inQuery.flatMap((p) => valuesOf(p).map((value) => `${p.name}=${encodeURIComponent(value)}`));
  const twice = inQuery.map((p) => `${p.name}=1&${p.name}=1`);
  const pages = inQuery.some((p) => p.name === 'offset')
    ? ['limit=2&offset=1', 'limit=2&offset=2', 'offset=100000']
    : [];
  return [plain, ...[...each, ...twice, ...pages, 'unknown=1'].map((query) => `${plain}?${query}`)];
}

/** Asks all GETs of the document at `at`; `names` gives what stands for each name in a path. */
export async function askDocument(service, normal, answers, at, names, { isClose, skip = [] }) {
  const { paths } = await service.json(at);
  for (const [path, operations] of inOrder(paths)) {
    const { get } = operations;
    if (get === undefined || skip.includes(path)) continue;
    const name = /\{(\w+)\}/.exec(path)?.[1];
    const given = name === undefined ? [null] : [...names(name), ...(isClose ? BAD : BAD.slice(0, 1))];
    for (const [i, value] of given.entries()) {
      const filled = value === null ? path : path.replace(`{${name}}`, encodeURIComponent(value));
      for (const asked of pathsOf(filled, get.parameters ?? [], isClose && i < CLOSELY))
        answers.add(`GET ${asked}`, shown(await service.ask(asked), normal));
    }
  }
}

/** What names no call and no stream. */
const BAD = ['no-such@call', '0x1', 'zz', '%', '\u0001'];

/** Requests that a service refuses, and those that no document has. */
export async function askBeside(service, normal, answers) {
  const json = { 'content-type': 'application/json' };
  const requests = [
    ...[
      '/',
      '/v1',
      '/v1/',
      '/v2/dialogs',
      '/v1/dialogs/',
      '/v1/dialogs/%zz',
      '/ask',
      '/ask/nothing',
      '/console',
      '/nothing',
    ].map((path) => [path, {}]),
    ['/v1/dialogs', { method: 'HEAD' }],
    ['/v1/dialogs', { method: 'POST', headers: json, body: '{}' }],
    ['/v1/stats', { method: 'DELETE' }],
    ['/v1/persistence', { method: 'POST', headers: json, body: '{"enabled":1}' }],
    ['/v1/persistence', { method: 'POST', headers: json, body: '{"enabled":true}' }],
    ['/v1/persistence', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['/v1/peer/ban', { method: 'POST', headers: json, body: '{"ip":"x"}' }],
    ['/v1/peer/unban', { method: 'POST', headers: json, body: '{"ip":"192.0.2.1"}' }],
    ['/v1/stats', { headers: { host: 'elsewhere.example' } }],
    ['/v1/stats', { headers: { 'x-forwarded-for': '192.0.2.1' } }],
    ['/v1/stats', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ...['keys.json', 'losses.json', 'no-such-file'].map((file) => [`/console/${file}`, {}]),
  ];
  for (const [path, options] of requests) {
    const words = [options.method ?? 'GET', path, JSON.stringify(options.headers ?? {}), options.body ?? ''];
    answers.add(words.join(' ').trim(), shown(await service.ask(path, options), normal));
  }
  const page = await service.ask('/console/');
  answers.add('GET /console/ (its status and type)', `${page.status} ${page.headers['content-type']}`);
}
