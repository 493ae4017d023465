// Runs the built program: with arguments it is the program itself; without any, or with none but how to serve (--api...),
// it serves the demo capture.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { root } from './steps/files.mjs';
import { say } from './steps/run.mjs';

const MAIN = join(root, 'dist/program/calltap.js');
const DEMO = 'fixtures/demo/demo.pcap';
/** Of the same minute: two attackers, for the screen of security. */
const ATTACK = 'fixtures/demo/attack.pcap';
const HOST = '127.0.0.1';
const PORT = 8080;

/** True when every option is about the API: there is nothing to read but the demo. */
function onlySaysHowToServe(args) {
  return args.every(
    (arg, i) => arg.startsWith('--api') || (!arg.startsWith('-') && /^--api[^=]*$/.test(args[i - 1] ?? '')),
  );
}

/** True when the demo's usual port can be bound. */
function portIsFree() {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(PORT, HOST, () => probe.close(() => done(true)));
  });
}

function printUrls(base) {
  say('');
  say(`calltap serves ${DEMO} and ${ATTACK}; open ${base}/console/ in a browser, or try in another terminal:`);
  for (const path of [
    '/v1/dialogs?limit=5',
    '/v1/dialogs?state=Failed',
    '/v1/streams?mos_below=3.6',
    '/ask/calls?q=mos<3.6',
    '/ask/calls/packet-loss@pbx.example.com/report',
  ]) {
    say(`  curl '${base}${path}'`);
  }
  say('Stop with Ctrl-C. Your own capture: npm start -- my.pcap');
}

/** Serves the demo in a child, so that its "listening" line can be waited for. */
async function demo(args) {
  const missing = [DEMO, ATTACK].find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) {
    say(`${missing} is missing; make it with: npm run fixtures`);
    process.exitCode = 1;
    return;
  }
  const isPlaced = args.some((arg) => arg === '--api' || arg.startsWith('--api='));
  const place = isPlaced ? [] : ['--api', `${HOST}:${(await portIsFree()) ? PORT : 0}`];
  // A group of its own: one Ctrl-C reaches it once, through us, not a second time from the terminal.
  // Sound is kept so that the console can play it, and attackers are looked for.
  const shown = ['--console', '--retain-audio', '--kill-scanner'];
  const child = spawn(process.execPath, [MAIN, '-I', DEMO, '-I', ATTACK, ...shown, ...place, ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // npm forwards what the terminal already sent; the second copy must not look like impatience.
      if (!stopping) child.kill(signal);
      stopping = true;
    });
  }
  createInterface({ input: child.stderr }).on('line', (line) => {
    process.stderr.write(`${line}\n`);
    const listening = /^api listening on (http:\/\/\S+)/.exec(line);
    if (listening?.[1] !== undefined) printUrls(listening[1]);
  });
  child.on('error', (error) => say(`cannot start ${MAIN}: ${error.message}`));
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  });
}

if (!existsSync(MAIN)) {
  say('not built yet; run: npm run setup');
  process.exitCode = 1;
} else if (!onlySaysHowToServe(process.argv.slice(2))) {
  // In this process: arguments, streams, signals and exit code are the program's own.
  process.argv[1] = MAIN;
  await import(pathToFileURL(MAIN).href);
} else {
  await demo(process.argv.slice(2));
}
