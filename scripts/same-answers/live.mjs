// Asks services that receive: a pipe on standard input, and HEP over TCP from one seed, to both builds with the same times.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hep3 } from '../../dist/fixtures/build/hep.js';
import { askAgent } from './agent.mjs';
import { Answers } from './answers.mjs';
import { askRich } from './ask-questions.mjs';
import { fuzzedCapture, fuzzedDatagrams } from './fuzz.mjs';
import { askDocument } from './http-questions.mjs';
import { namesOf } from './names.mjs';
import { addRows, Store } from './shipped.mjs';

/** The messages are that old when they come: a capture agent that is behind, as it sees them. */
const AGE_US = 200e6;
const QUIET_MS = 2_500;

/** The same start for both builds: times of messages are then the same, and those of the run alone are not. */
export function liveStartUs() {
  return Math.floor(Date.now() / 60_000) * 60e6 - AGE_US;
}

/** The fuzzed capture through a pipe, to a table, to CSV and to JSON. */
export async function askPiped(build, cwd, normal, seed) {
  const answers = new Answers();
  const bytes = fuzzedCapture(seed);
  for (const args of [
    ['-I', '-'],
    ['-I', '-', '--csv'],
    ['-I', '-', '--json'],
    ['-I', '-', '--show', 'findings'],
  ]) {
    const { code, out, err } = await build.run(args, cwd, bytes);
    const text = out.toString('utf8');
    const shown = args.includes('--json') ? normal.jsonLines(text) : normal.text(text);
    answers.add(`calltap ${args.join(' ')} < fuzzed-${seed}.pcap`, `code ${code}\n${shown}\n${normal.text(err)}`);
  }
  return answers;
}

/** List rows as they change; the last one of each call holds, since a change may come alone or with the next. */
async function readChanges(answer, into) {
  try {
    let rest = '';
    for await (const chunk of answer.body) {
      const events = `${rest}${Buffer.from(chunk).toString('utf8')}`.split('\n\n');
      rest = events.pop();
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data?.includes('"call_id"')) into.set(JSON.parse(data).call_id, data);
      }
    }
  } catch {
    // The end of it, or of the service.
  }
}

const settled = async (service) => {
  let [before, since] = ['', performance.now()];
  while (performance.now() - since < QUIET_MS) {
    await sleep(100);
    const { packets, sip_messages, calls } = await service.json('/ask/pulse');
    const now = `${packets} ${sip_messages} ${calls}`;
    if (now !== before) [before, since] = [now, performance.now()];
  }
};

async function send(port, datagrams) {
  const socket = connect(port, '127.0.0.1');
  for (const { src, dst, tsUs, bytes } of datagrams) socket.write(hep3({ src, dst, tsUs, payload: bytes }));
  await new Promise((done) => socket.end(done));
}

/** A service that receives HEP, serves and ships, while the messages of the seed come. */
export async function askLive(build, cwd, normal, seed, startUs, most) {
  const answers = new Answers();
  const store = new Store();
  await store.start();
  const ship = ['--ship', store.url, '--ship-spool', `live-spool-${seed}`, '--ship-host', 'here'];
  const service = await build.serve(['-L', '127.0.0.1:0', '-E', '--ask', '--mcp', '--console', ...ship], cwd);
  const stop = new AbortController();
  const changes = new Map();
  try {
    const port = Number(/hep listening on tcp:\/\/127\.0\.0\.1:(\d+)/.exec(service.err)?.[1]);
    const reading = readChanges(await fetch(`${service.base}/ask/changes`, { signal: stop.signal }), changes);
    await send(port, fuzzedDatagrams(seed, startUs));
    await settled(service);
    const names = await namesOf(service, most);
    await askDocument(service, normal, answers, '/openapi.json', names.of, { isClose: true });
    await askRich(service, normal, answers, names.calls, names.ssrcs, true);
    await askAgent(service, normal, answers, names.calls, names.ssrcs, true);
    stop.abort();
    await reading;
    for (const [callId, data] of [...changes].sort(([a], [b]) => (a < b ? -1 : 1)))
      answers.add(`change of ${callId}`, normal.json(data));
  } finally {
    stop.abort();
    answers.add('the service ends', `code ${await service.stop()}\n${normal.text(service.err)}`);
    await store.stop();
  }
  addRows(store, normal, answers);
  return answers;
}
