// Asks over the agent protocol: the tools and resources over HTTP, and the same tools through `calltap mcp --connect`, which asks
// the service in its turn.
import { BLANKED } from './normal.mjs';

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};
const INITIALIZE = [
  'initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'same', version: '1' } },
];
const WAIT_MS = 60_000;

/** Each tool with its arguments, good and bad; `calls` and `ssrcs` are of the capture. */
function questionsOf(calls, ssrcs) {
  const tool = (name, args = {}) => ['tools/call', { name, arguments: args }];
  const some = [...calls.slice(0, 3), 'no-such@call'];
  const ofCall = ['get_call', 'call_report', 'call_ladder', 'call_messages', 'call_tree', 'correlate', 'lint'];
  return [
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['no/such/method', {}],
    ...[{}, { q: 'state:Failed' }, { q: 'frm:1' }, { sort: '-mos', limit: 2 }, { sort: 'x' }, { cursor: 'x' }].map(
      (args) => tool('list_calls', args),
    ),
    ...some.flatMap((call) => ofCall.map((name) => tool(name, { call }))),
    ...some
      .slice(0, 1)
      .flatMap((call) => [
        ...['json', 'text', 'markdown', 'other'].map((layout) => tool('call_report', { call, layout, legs: true })),
        tool('call_ladder', { call, legs: true }),
        tool('call_messages', { call, legs: true, first: 1 }),
        tool('call_messages', { call, first: -1 }),
        ['resources/read', { uri: `calltap://calls/${encodeURIComponent(call)}/report` }],
      ]),
    ...[...ssrcs.slice(0, 3), '0x1', 'zz'].map((ssrc) => tool('get_stream', { ssrc })),
    ...[{}, { orphaned: true }, { mos_below: 4 }, { limit: 1, offset: 1 }, { limit: 0 }].map((args) =>
      tool('list_streams', args),
    ),
    ...[{}, { minutes: 5 }, { series: true }, { minutes: 0 }].map((args) => tool('list_trunks', args)),
    ...['capture_stats', 'capture_report', 'get_call', 'no_such_tool'].map((name) => tool(name)),
    ...['one-way-audio', 'packet-loss', 'ack-missing', 'nonsense'].map((finding) =>
      tool('explain_finding', { finding }),
    ),
    // Pages of the documentation are no answers of a build.
    ...['calltap://stats', 'calltap://docs/none', 'nothing'].map((uri) => ['resources/read', { uri }]),
  ];
}

/** Those whose answers another capture may change. */
function isOfCapture([method, { name, uri = '' }]) {
  return (method === 'tools/call' && name !== 'explain_finding') || uri.startsWith('calltap://calls/');
}

/** Documents stand in texts too: they are taken apart, so that what is blanked elsewhere is blanked there. */
function shown(message, normal) {
  const opened = JSON.stringify(message, (key, value) => {
    if (key !== 'text' || typeof value !== 'string' || !/^[[{]/.test(value)) return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  });
  return blankedInTexts(normal.json(opened)).replaceAll('\\n', '\n');
}

/** Statistics between two fences are a text. */
function blankedInTexts(text) {
  return text.replace(/\\"(\w+)\\":(\\"[^"\\]*\\"|[\d.]+)/g, (all, key) =>
    BLANKED.has(key) ? `\\"${key}\\":<blank>` : all,
  );
}

const titleOf = ([method, params]) => `${method} ${JSON.stringify(params)}`;

export async function askAgent(service, normal, answers, calls, ssrcs, isClose) {
  const questions = isClose
    ? questionsOf(calls, ssrcs)
    : questionsOf(calls.slice(0, 1), ssrcs.slice(0, 1)).filter(isOfCapture);
  for (const [i, question] of [INITIALIZE, ...questions].entries()) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: i, method: question[0], params: question[1] });
    const { status, text } = await service.ask('/mcp', { method: 'POST', headers: HEADERS, body });
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      message = { text: data };
    }
    answers.add(`mcp ${titleOf(question)}`, `status ${status}\n${shown(message, normal)}`);
  }
}

/** The same over standard input and output of a program that is connected to the service. */
export async function askConnected(build, service, cwd, normal, answers, calls, ssrcs) {
  const child = build.start(['mcp', '--connect', service.base], cwd, 'pipe');
  const questions = [INITIALIZE, ...questionsOf(calls.slice(0, 1), ssrcs.slice(0, 1))];
  const told = new Map();
  let [rest, err] = ['', ''];
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (chunk) => {
    err += chunk.toString('utf8');
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const closed = new Promise((done) => child.once('close', done));
  let tell = () => undefined;
  child.stdout.on('data', (chunk) => {
    const lines = `${rest}${chunk.toString('utf8')}`.split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      told.set(message.id, message);
      tell();
    }
  });
  // One by one: what is asked at once may be refused as too much.
  for (const [i, [method, params]] of questions.entries()) {
    const answered = new Promise((done) => {
      tell = done;
    });
    send({ id: i, method, params });
    let timer;
    const late = new Promise((done) => {
      timer = setTimeout(done, WAIT_MS);
    });
    await Promise.race([answered, closed, late]);
    clearTimeout(timer);
    if (i === 0) send({ method: 'notifications/initialized' });
  }
  child.stdin.end();
  const code = await closed;
  for (const [i, question] of questions.entries())
    answers.add(`mcp --connect ${titleOf(question)}`, shown(told.get(i) ?? { text: 'no answer' }, normal));
  answers.add('mcp --connect ends', `code ${code}\n${normal.text(err)}`);
}
