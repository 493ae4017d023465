/** Tools that attackers use, as packages have them: what each is told to do, and how much of it is evidence. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, Running } from './lab.ts';

/** What is known of a tool before it has its addresses. */
type Draft = {
  readonly name: string;
  /** Program and arguments up to the target. */
  readonly command: readonly string[];
  /** So many packets of it complete the evidence. */
  readonly enough: number;
  /** Looks for hosts in a network; the others attack one that answers. */
  readonly maps?: boolean;
  /** Tries passwords, one after the other. */
  readonly guesses?: boolean;
};

/** A tool on host b. What it attacks is its alone, so that the route there gives it an address of its own. */
export type Tool = Draft & { readonly from: string; readonly to: string };

const PHONE = 'Yealink SIP-T46S 66.85.0.5';
/** None is the password: a tool that finds it stops. */
const GUESSES = 2000;
/** Where Debian has nmap's files. */
const NMAP = '/usr/share/nmap';
/** Hosts of a network that is mapped; they are there and do not answer. */
const MAPPED = 30;

function passwords(lab: Lab): string {
  const path = lab.path('passwords');
  writeFileSync(path, Array.from({ length: GUESSES }, (_, n) => `not-it-${n}\n`).join(''));
  return path;
}

/** A copy of SIPVicious that calls itself a phone: its name is a constant of its own, no option. */
function disguised(lab: Lab, folder: string): string {
  const copy = lab.path('disguised');
  cpSync(join(folder, 'sipvicious'), join(copy, 'sipvicious'), { recursive: true });
  const file = join(copy, 'sipvicious/libs/svhelper.py');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace("useragent='friendly-scanner'", `useragent='${PHONE}'`);
  assert.notEqual(changed, text, `${file} names no User-Agent`);
  writeFileSync(file, changed);
  return copy;
}

/** SIPVicious below `folder`, run by `python`, with its own name and with a phone's. */
export function sipVicious(lab: Lab, python: string, folder: string): Draft[] {
  const list = passwords(lab);
  return [
    { folder, as: 'itself' },
    { folder: disguised(lab, folder), as: 'a phone' },
  ].flatMap((copy) => {
    const draft = (what: string, tool: string, enough: number, ...args: readonly string[]): Draft => {
      const start = `import sys; from sipvicious.${tool} import main; sys.exit(main())`;
      const environment = ['env', `PYTHONPATH=${copy.folder}`, `HOME=${lab.folder}`];
      return { name: `${what} as ${copy.as}`, command: [...environment, python, '-c', start, ...args], enough };
    };
    return [
      { ...draft('svmap', 'svmap', 12, '-t', '0.1'), maps: true },
      draft('svwar', 'svwar', 15, '--force', '-e', '3000-3400', '-m', 'REGISTER'),
      draft('svwar with INVITE', 'svwar', 15, '--force', '-e', '3000-3400', '-m', 'INVITE'),
      { ...draft('svcrack', 'svcrack', 50, '-u', '2001', '-d', list), guesses: true },
    ];
  });
}

/** The scripts of nmap that ask more than once, over UDP and TCP. */
export function nmap(lab: Lab): Draft[] {
  const users = lab.path('users');
  writeFileSync(users, '2001\n');
  const scripts = {
    'sip-enum-users': 'sip-enum-users.minext=3000,sip-enum-users.maxext=3400',
    'sip-brute': `userdb=${users},passdb=${passwords(lab)}`,
  };
  return (['-sU', '-sT'] as const).flatMap((scan) =>
    Object.entries(scripts).map(([script, settings]) => ({
      name: `nmap ${scan} ${script}`,
      command: ['nmap', '-n', '-Pn', scan, '-p', '5060', '--script', script, '--script-args', settings],
      enough: script === 'sip-brute' ? 100 : 40,
    })),
  );
}

/** A copy of nmap's files whose SIP scripts call themselves a phone. */
function nmapDisguised(lab: Lab): string {
  const copy = lab.path('nmap');
  const libraries = join(copy, 'nselib');
  mkdirSync(libraries, { recursive: true });
  for (const name of readdirSync(NMAP)) if (name !== 'nselib') symlinkSync(join(NMAP, name), join(copy, name));
  for (const name of readdirSync(join(NMAP, 'nselib')))
    if (name !== 'sip.lua') symlinkSync(join(NMAP, 'nselib', name), join(libraries, name));
  const text = readFileSync(join(NMAP, 'nselib/sip.lua'), 'utf8');
  const changed = text.replace('o.ua = "Nmap NSE"', `o.ua = "${PHONE}"`);
  assert.notEqual(changed, text, 'sip.lua names no User-Agent');
  writeFileSync(join(libraries, 'sip.lua'), changed);
  return copy;
}

/**
 * The scripts of nmap that ask once. `sip-methods` sends one OPTIONS: in its own name that name reports it, in a phone's it
 * is what phones and servers send each other to see whether they live. `sip-call-spoof` sends one INVITE, as another phone
 * by itself: a call like any other. No rule counts to one, so neither of the two that are `quiet` may draw a line.
 */
export function nmapOnce(lab: Lab): { readonly named: Draft[]; readonly quiet: Draft[] } {
  const disguised = ['--datadir', nmapDisguised(lab)];
  const drafts = (script: string, name: string, more: readonly string[]): Draft[] =>
    (['-sU', '-sT'] as const).map((scan) => ({
      name: `nmap ${scan} ${name}`,
      command: ['nmap', ...more, '-n', '-Pn', scan, '-p', '5060', '--script', script],
      enough: 1,
    }));
  return {
    named: drafts('sip-methods', 'sip-methods as itself', []),
    quiet: [
      ...drafts('sip-methods', 'sip-methods as a phone', disguised),
      ...drafts('sip-call-spoof', 'sip-call-spoof', []),
    ],
  };
}

/** Gives each its addresses: on host b, and of its target. */
export function placed(drafts: readonly Draft[]): Tool[] {
  return drafts.map((draft, n) => {
    const to = draft.maps === true ? `10.90.${100 + n}.0/27` : `10.90.0.${200 + n}`;
    return { ...draft, from: `10.90.0.${10 + n}`, to };
  });
}

/** Targets that a registrar listens on. */
export function targets(tools: readonly Tool[]): string[] {
  return tools.filter(({ maps }) => maps !== true).map(({ to }) => to);
}

export function startTool(lab: Lab, { command, maps, from, to }: Tool): Running {
  const hosts = Array.from({ length: MAPPED }, (_, n) => `addr add ${to.replace('0/27', String(n + 1))}/32 dev eth0`);
  if (maps === true) lab.do('a', 'ip', ['-batch', '-'], `${hosts.join('\n')}\n`);
  lab.do('b', 'ip', ['addr', 'add', `${from}/24`, 'dev', 'eth0']);
  lab.do('b', 'ip', ['route', 'add', to, 'dev', 'eth0', 'src', from]);
  const [program = '', ...args] = command;
  return lab.start('b', program, [...args, to]);
}
