/**
 * The runner as a program: in the checkout through scripts/canaries.mjs, in a guest by itself.
 *
 *     node canary-main.js FOLDER ROOT RUNS [--mode NAME]... [--by WORDS] [--may-be-refused] [NAME]...
 *
 * FOLDER has the canaries as built, ROOT is a checkout, WORDS (as JSON) start calltap as another user, who may lack a
 * right that this kernel asks for. Exits 0 when nothing died and no message is missing uncounted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ANCHORS, CanaryAgent, MODES } from './canary-agent.ts';
import { isRight, line, runCanary } from './canary-run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', multiple: true, default: [] },
    by: { type: 'string', default: '[]' },
    'may-be-refused': { type: 'boolean', default: false },
  },
});
const [folder = '', root = '', runs = '1', ...names] = positionals;
// Written by canary-build.ts.
const built = JSON.parse(readFileSync(join(folder, 'canaries.json'), 'utf8')) as {
  names: string[];
  absent: Record<string, string>;
};
const chosen = built.names.filter((name) => names.length === 0 || names.includes(name));
const modes = values.mode.length === 0 ? Object.keys(MODES) : values.mode;
const unknown = [...modes.filter((m) => !(m in MODES)), ...names.filter((n) => !built.names.includes(n))];
if (unknown.length > 0) {
  const known = [...Object.keys(MODES), ...built.names].join(', ');
  process.stderr.write(`canaries: there is no ${unknown.join(', ')} here; there are ${known}\n`);
  process.exit(2);
}
for (const [name, why] of Object.entries(built.absent)) process.stdout.write(`ok ${name}: not built: ${why}\n`);
let isAllRight = true;
const ways = new Map<string, string>();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** An older way may be one that this kernel, or this user, does not have: that is said, and no fault. */
async function start(mode: string, force: object): Promise<CanaryAgent | null> {
  try {
    const agent = await CanaryAgent.start(root, folder, ANCHORS, force, JSON.parse(values.by) as string[]);
    const before = ways.get(agent.way);
    say(`ok probes ${mode}: ${agent.way}${before === undefined ? '' : `, as ${before}`}`);
    if (before === undefined || mode === 'oldest') {
      ways.set(agent.way, mode);
      return agent;
    }
    await agent.close();
  } catch (error) {
    const why = String(error).replaceAll(/\s+/g, ' ');
    // Who is refused is told the right that is missing.
    const isRefused = values['may-be-refused'] && /CAP_\w+/.test(why);
    const isFault = mode === 'best' && !isRefused;
    isAllRight &&= !isFault;
    say(`${isFault ? 'not ok' : 'ok'} probes ${mode}: not here: ${why}`);
  }
  return null;
}

for (const mode of modes) {
  const force = MODES[mode] ?? null;
  const agent = force === null ? null : await start(mode, force);
  if (force !== null && agent === null) continue;
  for (const name of chosen) {
    const result = await runCanary(name, folder, agent, Number(runs), `c${process.pid}${mode}`);
    isAllRight &&= isRight(result);
    say(line(result, mode));
  }
  await agent?.close();
}
process.exitCode = isAllRight ? 0 : 1;
