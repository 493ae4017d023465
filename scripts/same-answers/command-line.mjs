// Runs the program as a user does: tables, CSV, JSON, reports, saved files, and what it refuses.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from './normal.mjs';

/** All that a capture may hold is analysed, whatever its ports. */
export const EVERY_PORT = ['-E', '--portrange', '1-65535', '--ws-portrange', '1-65535'];
const SAVED = 'saved';

/** What is asked of every capture. */
function always(file, [a = 'no-such@call', b = a]) {
  const all = [file, ...EVERY_PORT];
  return [
    [file],
    [...all, '--csv', '--columns', 'COLUMNS'],
    [...all, '--json'],
    [...all, '--call-report', a, '--legs'],
    [...all, '--ladder', a, '--ladder', b],
  ];
}

/** What is asked of a capture that is looked at closely. */
function closely(file, [a = 'no-such@call', b = a]) {
  const all = [file, ...EVERY_PORT];
  return [
    [...all, '--stats-json'],
    [...all, '--messages'],
    [...all, `--messages=${a}#0`, '--raw'],
    [...all, `--messages=${a}`, '--no-body', '--show-secrets', '--legs'],
    [...all, '--call-report', a, '--markdown', '--name', '0.0.0.0/0=somewhere', '--utc'],
    [...all, '--ladder', a, '--legs', '--color', 'always'],
    [...all, '--quality', a],
    [...all, '--quality', a, '--quality-interval', '1'],
    [...all, '--compare', a, '--compare', b],
    ...['findings', 'registrations', 'trunks'].map((what) => [...all, '--show', what]),
    [...all, '--show', 'attackers', '--kill-scanner', '--fraud'],
    [...all, '--filter=-(state:Completed) or mos<4', '--sort', '-mos'],
    [...all, '--csv', '--filter', 'method:INVITE', '--sort', 'duration'],
    [...all, '--json', '--filter', 'state:Failed', '--legs'],
    [
      ...all,
      '--color',
      'always',
      '--columns',
      'row,state,from,to,mos,findings',
      '--trunk',
      '0.0.0.0/1=low',
      '--trunk',
      '128.0.0.0/1=high',
    ],
    [...all, '--sipp', a, '--to', SAVED],
    [...all, '--wav', a, '--retain-audio', '--to', `${SAVED}.wav`],
    [...all, '-O', SAVED, '--split', 'call'],
    [...all, '-O', `${SAVED}.pcap`, '--filter', 'method:INVITE'],
    [...all, '--call-report', 'no-such@call'],
    [...all, '--messages=no-such@call'],
    [...all, `--messages=${a}#999`],
  ];
}

/** What no capture is needed for, most of it refused. */
function apart(file) {
  return [
    ...[['--help'], ['--help=filter'], ['--help', 'filter'], ['--help=nothing'], ['--version'], []],
    ...[
      [file, '--print-config'],
      ['no-such-file.pcap'],
      ['.'],
      ['--no-such-option'],
      [file, '--jso'],
      [file, '--json=1'],
    ],
    ...[
      [file, '--json', '--csv'],
      [file, '--markdown'],
      [file, '--columns', 'no-such'],
      [file, '--sort', 'no-such'],
      [file, '--show', 'no-such'],
    ],
    ...[
      [file, '--filter', 'frm:1'],
      [file, '--filter', ''],
      [file, '--filter', '('],
      [file, '--compare', 'a'],
      [file, '--raw'],
    ],
    ...[
      [file, '--ask'],
      [file, '--console'],
      [file, '--api', 'nowhere:x'],
      [file, '--api', '0.0.0.0:0'],
      [file, '--lint-suppress', 'none', '--json'],
    ],
    ...[
      [file, '--wav', 'a'],
      [file, '--sipp', 'a'],
      [file, '--span', '1..2'],
      [file, '--ship', 'x'],
      [file, '--ship', 'http://127.0.0.1:1/x'],
    ],
    ...[
      ['-L', '127.0.0.1:0'],
      [file, '-L', '127.0.0.1:0', '-E'],
      ['hub'],
      ['hub', '--store', 'x'],
      ['mcp'],
      ['mcp', '--connect', 'http://127.0.0.1:1'],
    ],
    ...[
      ['--connect', 'http://127.0.0.1:1'],
      ['-i'],
      [file, '-i'],
      [file, '--show-frame', 'x'],
      ['--mint-token'],
      [file, '--quality-interval', '0'],
    ],
    ...[
      [file, '--name', 'x'],
      [file, '--trunk', 'x'],
      [file, '--call-id-header', 'X=~('],
      [file, '--bpf', 'no such ('],
      [file, '--split', 'x'],
    ],
  ];
}

/** What a run left behind, as digests; it is removed. */
function filesLeft(cwd) {
  const lines = [];
  for (const name of readdirSync(cwd)
    .filter((n) => n.startsWith(SAVED))
    .sort()) {
    const path = join(cwd, name);
    const names = statSync(path).isDirectory()
      ? readdirSync(path)
          .sort()
          .map((n) => join(name, n))
      : [name];
    for (const one of names) {
      const bytes = readFileSync(join(cwd, one));
      lines.push(`file ${one}: ${digestOf(bytes)}`, ...(/\.(xml|txt|csv)$/.test(one) ? [bytes.toString('utf8')] : []));
    }
    rmSync(path, { recursive: true });
  }
  return lines;
}

function outputOf(bytes, args, normal) {
  if (args.includes('--raw')) return digestOf(bytes);
  const text = bytes.toString('utf8');
  if (text === '') return '';
  if (args.includes('--json') || args.includes('--stats-json')) return normal.jsonLines(text);
  return normal.text(text);
}

const columns = new Map();

/** All columns, as the program names them where it refuses one. */
async function columnsOf(build, file, cwd) {
  const known = columns.get(build);
  if (known !== undefined) return known;
  const { err } = await build.run([file, '--columns', 'no-such'], cwd);
  columns.set(build, (/give some of (.*)$/m.exec(err)?.[1] ?? 'row').split(' ').join(','));
  return columns.get(build);
}

async function runAll(build, cwd, runs, normal, answers) {
  for (const args of runs) {
    if (args.includes('--split')) mkdirSync(join(cwd, SAVED), { recursive: true });
    const { code, out, err } = await build.run(args, cwd);
    const lines = [
      `code ${code}`,
      outputOf(out, args, normal),
      '-- standard error',
      normal.text(err),
      ...filesLeft(cwd),
    ];
    answers.add(`calltap ${args.join(' ')}`, lines.join('\n'));
  }
}

export async function askCommandLine(build, file, cwd, normal, answers, calls, isClose) {
  const all = await columnsOf(build, file, cwd);
  const runs = [...always(file, calls), ...(isClose ? closely(file, calls) : [])];
  const named = runs.map((args) => args.map((word) => (word === 'COLUMNS' ? all : word)));
  await runAll(build, cwd, named, normal, answers);
}

/** Refusals and help: once, beside any capture that can be read. */
export async function askRefusals(build, file, cwd, normal, answers) {
  const own = join(cwd, 'apart');
  if (!existsSync(own)) mkdirSync(own);
  await runAll(build, own, apart(join('..', file)), normal, answers);
}
