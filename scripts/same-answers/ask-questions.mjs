// Asks /ask: its document, each key of the filter language, pages, selectors, and comparisons of calls.
import { askDocument, shown } from './http-questions.mjs';

/** Filters that cannot be read, and words that join. */
const FILTERS = [
  ...[
    'frm:1',
    'from:',
    'state:Nothing',
    'mos<x',
    'code:6xy',
    '(',
    'a or',
    '-',
    'since:yesterday',
    'ip:300.1.1.1',
    '"',
    '~(',
  ],
  ...['INVITE or REGISTER', 'method:INVITE -state:Completed', '(state:Failed or code:2xx) -tag:forked', 'a b c'],
  ...[
    'code:5xx',
    'code:400..499',
    'duration>0s',
    'duration<=1m',
    'mos>1',
    'loss>=0%',
    'setup>1ms',
    'pdd>=0ms',
    'jitter>=0ms',
  ],
  ...[
    'since:10m',
    'until:10m',
    'since:2025-01-01T00:00',
    'ip:0.0.0.0/0',
    'ip:::/0',
    '~.',
    'text:sip',
    'header.Via:*',
    'header.X-None:a',
  ],
];

/** `keys` are those of the program's own table, each with its example and its words. */
function filtersOf(keys, rows) {
  const ofKeys = keys.flatMap(({ key, example, words = [] }) => [
    example,
    `-(${example})`,
    ...(words ?? []).slice(0, 40).map((word) => `${key}:${word}`),
  ]);
  const ofRows = rows
    .slice(0, 3)
    .flatMap((row) => [
      `callid:"${row.call_id}"`,
      ...(row.from_user === undefined ? [] : [`from:"${row.from_user}"`, `number:"${row.from_user}"`]),
      ...(row.to_user === undefined ? [] : [`to:"${row.to_user}"`]),
      `src:${String(row.src).replace(/:\d+$/, '')}`,
    ]);
  return [...new Set([...ofKeys, ...FILTERS, ...ofRows])];
}

const at = (path, query) => `${path}?${new URLSearchParams(query)}`;

export async function askRich(service, normal, answers, calls, ssrcs, isClose) {
  const ask = async (path) => answers.add(`GET ${path}`, shown(await service.ask(path), normal));
  await askDocument(service, normal, answers, '/ask/openapi.json', () => calls, { isClose, skip: ['/ask/changes'] });
  if (!isClose) return;
  const keys = await service.json('/console/keys.json');
  const { calls: rows = [] } = await service.json('/ask/calls?limit=50');
  for (const q of filtersOf(keys, rows)) await ask(at('/ask/calls', { q, limit: '5' }));
  for (const q of ['state:Failed', 'method:REGISTER', 'frm:1', '-a'])
    for (const list of ['findings', 'registrations']) await ask(at(`/ask/${list}`, { q }));
  // Pages to the end, or five of them.
  for (let [cursor, page] = ['', 0]; page < 5; page++) {
    const answer = await service.ask(at('/ask/calls', { limit: '3', ...(cursor === '' ? {} : { cursor }) }));
    // Not by its cursor: that of a hub names a run.
    answers.add(`GET /ask/calls?limit=3, page ${page + 1}`, shown(answer, normal));
    const next = JSON.parse(answer.text).next_cursor;
    if (next === undefined || next === null) break;
    cursor = next;
  }
  await ask(at('/ask/calls', { cursor: 'no-such-cursor' }));
  const [a, b] = calls;
  if (a === undefined) return;
  const of = (selector, what) => `/ask/calls/${encodeURIComponent(selector)}/${what}`;
  for (const selector of [
    `id:${a}`,
    ...ssrcs.slice(0, 2).map((ssrc) => `ssrc:${ssrc}`),
    'ssrc:0x1',
    'ssrc:zz',
    'id:',
    'host:x:y',
  ])
    for (const what of ['head', 'ladder']) await ask(of(selector, what));
  for (const other of [a, b ?? a, 'no-such@call']) await ask(at(of(a, 'compare'), { with: other }));
  for (const layout of ['text', 'markdown', 'ladder']) await ask(at(of(a, 'report'), { layout, legs: 'true' }));
  for (const [from, to] of [
    ['0', '1'],
    ['1', '0'],
    ['0.5', '2'],
    ['100000', '100001'],
  ])
    await ask(at(of(a, 'audio'), { from, to }));
  for (const trunk of (await service.json('/ask/trunks')).trunks?.slice(0, 3).map((row) => row.trunk) ?? [])
    await ask(at('/ask/trunks', { trunk, series: 'true' }));
}
