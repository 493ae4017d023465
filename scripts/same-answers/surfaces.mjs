// The surfaces of the program, and what one build answers on them about one capture.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askAgent, askConnected } from './agent.mjs';
import { Answers } from './answers.mjs';
import { askRich } from './ask-questions.mjs';
import { askCommandLine, askRefusals, EVERY_PORT } from './command-line.mjs';
import { askConsole } from './console.mjs';
import { askBeside, askDocument } from './http-questions.mjs';
import { namesOf } from './names.mjs';
import { Normal } from './normal.mjs';
import { askShipped } from './shipped.mjs';
import { askTerminal, askTerminalConnected } from './terminal.mjs';

/** By the names of --only. */
export const SURFACES = {
  v1: 'GETs of /v1 and its OpenAPI document, metrics, and refused requests',
  ask: 'GETs of /ask and its OpenAPI document, filters, pages, selectors',
  mcp: 'tools and resources of the agent protocol',
  connect: 'the agent protocol and the terminal over a running service',
  cli: 'tables, CSV, JSON, reports, saved files, exit codes and standard error',
  ship: 'rows that --ship sends',
  terminal: 'screens of -i at two sizes',
  console: 'screens of the console in Chromium (with --console)',
  live: 'a fuzzed capture through a pipe, and fuzzed HEP over TCP',
  hub: 'a hub over a store with the demo capture (npm run store fetches it)',
};
const OVER_HTTP = ['v1', 'ask', 'mcp', 'connect', 'console'];
const SERVE = ['--ask', '--mcp', '--console', '--retain-audio', '--kill-scanner', '--api-max-rows', '1000'];

/** A folder of its own for the program, and what of its texts is that of the run. */
export function workplace(build, folder, capture, kind = 'file') {
  const cwd = join(folder, 'work', build.name, capture.name);
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd, { recursive: true });
  if (capture.path !== undefined) cpSync(capture.path, join(cwd, capture.name), { recursive: true });
  const normal = new Normal({ work: cwd, checkout: build.folder, version: build.version }, kind);
  return { cwd, normal, close: () => rmSync(cwd, { recursive: true, force: true }) };
}

/** Questions over one service that has read the capture; the names of its calls. */
async function overHttp(build, capture, { cwd, normal }, wanted, most, into) {
  const service = await build.serve([capture.name, ...EVERY_PORT, ...SERVE], cwd);
  const calls = [];
  try {
    if (service.ended === null) await service.until((stats) => stats.source_exhausted === true, 'read to the end');
    if (service.ended !== null) {
      into('v1').add('calltap --api', `code ${service.ended}\n${normal.text(service.err)}`);
      return { calls, capped: false };
    }
    const names = await namesOf(service, most);
    calls.push(...names.calls);
    if (wanted.has('v1')) {
      await askDocument(service, normal, into('v1'), '/openapi.json', names.of, { isClose: capture.isClose });
      if (capture.isClose) await askBeside(service, normal, into('v1'));
    }
    if (wanted.has('ask')) await askRich(service, normal, into('ask'), calls, names.ssrcs, capture.isClose);
    if (wanted.has('mcp')) await askAgent(service, normal, into('mcp'), calls, names.ssrcs, capture.isClose);
    if (wanted.has('connect') && capture.isClose) {
      await askConnected(build, service, cwd, normal, into('connect'), calls, names.ssrcs);
      if (wanted.has('terminal')) await askTerminalConnected(build, service, cwd, normal, into('connect'));
    }
    if (wanted.has('console') && capture.isClose) await askConsole(service, normal, into('console'), calls);
    return { calls, capped: names.capped };
  } finally {
    const code = await service.stop();
    // A screen that is drawn twice reads twice.
    const lines = [...new Set(normal.text(service.err).split('\n'))].sort((a, b) => (a < b ? -1 : 1));
    if (wanted.has('v1')) into('v1').add('the service ends', `code ${code}\n${lines.join('\n')}`);
  }
}

async function withoutScreens(build, capture, place, wanted, most, isFirst, into) {
  const { cwd, normal } = place;
  const asksService = OVER_HTTP.some((surface) => wanted.has(surface)) || wanted.has('cli');
  const known = asksService ? await overHttp(build, capture, place, wanted, most, into) : { calls: [], capped: false };
  if (wanted.has('cli')) {
    await askCommandLine(build, capture.name, cwd, normal, into('cli'), known.calls, capture.isClose);
    if (isFirst) await askRefusals(build, capture.name, cwd, normal, into('cli'));
  }
  if (wanted.has('ship')) await askShipped(build, capture.name, cwd, normal, into('ship'));
  return known;
}

/** Answers of one build about one capture: Map from surface to Answers. */
export async function answersOf(build, capture, folder, wanted, most, isFirst) {
  const answers = new Map();
  const into = (surface) => {
    if (!answers.has(surface)) answers.set(surface, new Answers());
    return answers.get(surface);
  };
  const place = workplace(build, folder, capture);
  const { cwd, normal } = place;
  const isShown = wanted.has('terminal') && capture.isClose;
  try {
    // Screens are mostly waited for: the questions are asked meanwhile.
    const [known] = await Promise.all([
      withoutScreens(build, capture, place, wanted, most, isFirst, into),
      ...(isShown ? [askTerminal(build, capture.name, cwd, normal, into('terminal'))] : []),
    ]);
    return { answers, capped: known.capped };
  } finally {
    place.close();
  }
}
