// Asks a hub: an agent ships the demo capture to a store of its own and serves it, and the hub answers from both.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestStore } from '../../dist/test/helpers/store.js';
import { askAgent } from './agent.mjs';
import { Answers } from './answers.mjs';
import { askRich } from './ask-questions.mjs';
import { endWithUs } from './build.mjs';
import { EVERY_PORT } from './command-line.mjs';
import { askDocument } from './http-questions.mjs';
import { namesOf } from './names.mjs';

const QUIET_MS = 4_000;

/** Waits until the agent has shipped what it has: for a while nothing more comes. */
async function shipped(agent) {
  let [before, sinceMs] = ['', performance.now()];
  while (performance.now() - sinceMs < QUIET_MS) {
    await sleep(200);
    const { text } = await agent.ask('/metrics');
    const now = text.match(/^calltap_ship_(made|stored)_total.*$/gm)?.join('\n') ?? '';
    if (now !== before) [before, sinceMs] = [now, performance.now()];
  }
}

/** `capture` is a file of today, the same one for both builds. */
export async function askHub(build, capture, cwd, normal, most) {
  const answers = new Answers();
  const store = new TestStore(join(cwd, 'store'));
  const forget = endWithUs(() => void store.kill());
  await store.start();
  const url = `${store.url}/calltap`;
  const services = [];
  const serve = async (args) => {
    const service = await build.serve(args, cwd);
    services.push(service);
    if (service.ended !== null) throw new Error(`${args.join(' ')}: ${service.err}`);
    return service;
  };
  try {
    const made = await build.run(['hub', '--migrate', '--store', url], cwd);
    answers.add('calltap hub --migrate', `code ${made.code}\n${normal.text(made.err)}`);
    const ship = ['--ship', url, '--ship-spool', 'hub-spool', '--ship-host', 'here', '--ship-messages', 'full'];
    const agent = await serve([capture, ...EVERY_PORT, '--ask', '--retain-audio', ...ship]);
    await agent.until((stats) => stats.source_exhausted === true, 'read to the end');
    await shipped(agent);
    const hub = await serve(['hub', '--store', url, '--agent', `here=${agent.base}`, '--ask', '--mcp', '--console']);
    const names = await namesOf(hub, most);
    await askDocument(hub, normal, answers, '/openapi.json', names.of, { isClose: true });
    await askRich(hub, normal, answers, names.calls, names.ssrcs, true);
    await askAgent(hub, normal, answers, names.calls, names.ssrcs, true);
    await agent.stop();
    for (const path of ['/v1/stats', '/v1/report', '/ask/security']) {
      const { status, text } = await hub.ask(path);
      answers.add(`GET ${path} without the agent`, `${status} ${normal.json(text)}`);
    }
  } finally {
    for (const service of services.reverse()) await service.stop();
    await store.kill();
    forget();
  }
  return answers;
}
