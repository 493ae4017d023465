/**
 * Every command that a page prints is one that works: those of `console` blocks are run and compared (test/cli/tasks.slow.test.ts), and
 * those of `sh` blocks stand in one of the tables below, with what holds them to the program.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configErrorLine, loadConfig } from '../../src/config/config.ts';
import { ok } from '../../src/core/result.ts';
import { parseFilter } from '../../src/query/parse.ts';
import type { Command } from '../helpers/page-commands.ts';
import { blocksOf, COMMAND_PAGES, commandsOf, pageCommands } from '../helpers/page-commands.ts';
import { repositoryFile, repositoryRoot } from './repository.ts';

/** Blocks: a command, a command with its output, what a command printed, and what is no command at all. */
const LANGUAGES = ['sh', 'console', 'text', 'json', 'toml', 'sql', 'diff'];

/** Programs that a slow test runs as the page has them. */
const RUN_BY: Readonly<Record<string, string>> = {
  sipp: 'test/live/quickstart.slow.test.ts',
  openssl: 'test/live/quickstart.slow.test.ts',
  jq: 'test/live/quickstart.slow.test.ts',
  grep: 'test/live/quickstart.slow.test.ts',
  sleep: 'test/live/quickstart.slow.test.ts',
  'fail2ban-regex': 'test/live/quickstart.slow.test.ts',
  'systemd-tmpfiles': 'test/live/fail2ban.slow.test.ts',
  install: 'test/live/fail2ban.slow.test.ts',
};

/** Programs that no test may or can run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  apt: 'it changes the packages of the host; npm run test:package installs them in roots of its own',
  dnf: 'it changes the packages of the host; npm run test:package installs them in roots of its own',
  tar: 'it unpacks a package; npm run test:package does',
  podman: 'it needs an image; docs/limitations.md says what was tried',
  systemctl: 'it needs systemd as the first process; npm run test:package starts the unit',
  journalctl: 'it needs systemd as the first process',
  sudoedit: 'it opens an editor',
  setpriv: 'it needs the user that a package makes; test/live/uprobe-list.slow.test.ts tries capabilities',
  'fail2ban-client': 'it asks the fail2ban of the host; test/live/fail2ban.slow.test.ts asks its own',
  heplify: 'a program of others; npm run homer runs it',
  claude: 'a program of others, with an account',
  gemini: 'a program of others, with an account',
  codex: 'a program of others, with an account',
  ssh: 'it needs another host',
};

/** What a shell or every system has: nothing of ours is in it. */
const PLAIN = ['cat', 'cd', 'chmod', 'cp', 'echo', 'export', 'head', 'ls', 'base64', 'printf', 'umask'];

const SH = pageCommands('sh');

/** The arguments of calltap in a command, or null where it is another program. `npm start -- ARGS` is calltap in a checkout. */
function argumentsOf({ words }: Command): readonly string[] | null {
  const [program = '', second, third] = words;
  if (program === 'calltap' || program.endsWith('/calltap')) return words.slice(1);
  return program === 'npm' && second === 'start' && third === '--' ? words.slice(3) : null;
}

/** Said of options that are right where the reader has the folder, the file or the key. */
const OF_THE_HOST = /is not a folder; make the folder first|--mint-token: there is no signing key/;
/** A sentence names a mode, `calltap hub`, without what it reads. */
const OF_A_MODE = /there is nothing to read|it names no store/;

/** What calltap says to arguments that it does not take, filter included; null where it takes them. */
function mistake(argv: readonly string[]): string | null {
  const loaded = loadConfig({ argv, env: {}, readFile: () => ok('') });
  if (!loaded.ok) return OF_THE_HOST.test(loaded.error.message) ? null : configErrorLine(loaded.error);
  const filter = parseFilter(loaded.value.config.filter ?? '', { isUtc: true });
  return filter.ok ? null : `--filter: ${JSON.stringify(filter)}`;
}

test('every block of a page has a language', () => {
  const wrong = COMMAND_PAGES.flatMap((page) => blocksOf(page)).filter(({ language }) => !LANGUAGES.includes(language));
  assert.deepEqual(
    wrong.map(({ page, line, language }) => `${page}:${line} ${language}`),
    [],
  );
});

test('calltap takes the options of every command', () => {
  const commands = [...SH, ...pageCommands('console')];
  const wrong = commands.flatMap((command) => {
    const said = mistake(argumentsOf(command) ?? ['--version']);
    return said === null ? [] : [`${command.where} ${command.words.join(' ')}: ${said}`];
  });
  assert.deepEqual(wrong, []);
  assert.ok(commands.filter((one) => argumentsOf(one) !== null).length > 80);
});

test('calltap takes the options of every command within a sentence', () => {
  const wrong = COMMAND_PAGES.flatMap((page) => {
    const text = repositoryFile(page).replaceAll(/^( *)```.*?^\1```$/gms, '');
    return [...text.matchAll(/`(calltap [^`]+)`/g)].flatMap(([, written = '']) => {
      // "FILE…" is one or more; an ellipsis alone stands for what the reader knows.
      if (/(^| )…/.test(written)) return [];
      const [command] = commandsOf(written.replaceAll('…', ''), page);
      const said = mistake(command?.words.slice(1) ?? []);
      return said === null || OF_A_MODE.test(said) ? [] : [`${page} ${written}: ${said}`];
    });
  });
  assert.deepEqual(wrong, []);
});

test('every command of a page is in one table', () => {
  const isKnown = ({ words: [program = '', ...rest] }: Command): boolean => {
    if (['npm', 'curl'].includes(program) || argumentsOf({ where: '', words: [program, ...rest] }) !== null)
      return true;
    return program in RUN_BY || program in NOT_RUN || PLAIN.includes(program);
  };
  assert.deepEqual(
    SH.filter((command) => !isKnown(command)).map(({ where, words }) => `${where} ${words.join(' ')}`),
    [],
  );
  const used = new Set(SH.map(({ words: [program = ''] }) => program));
  const listed = [...Object.keys(RUN_BY), ...Object.keys(NOT_RUN), ...PLAIN];
  assert.deepEqual(
    listed.filter((program) => !used.has(program)),
    [],
    'tables name no program that no page has',
  );
  assert.equal(new Set(listed).size, listed.length);
  for (const file of new Set(Object.values(RUN_BY))) assert.ok(existsSync(join(repositoryRoot(), file)), file);
});

test('npm runs scripts that are there, and files that commands name are there', () => {
  const { scripts } = JSON.parse(repositoryFile('package.json')) as { scripts: Record<string, string> };
  const wrong = SH.flatMap(({ where, words }) => {
    const [program, verb = '', name = ''] = words;
    const script = verb === 'run' ? name : verb;
    const isMissing = program === 'npm' && !(script in scripts);
    const files = words.filter((word) => /^(deploy|fixtures|scripts)\//.test(word));
    // Packages have the folders of deploy/ as examples.
    const packaged = words.flatMap((word) => {
      const [, path] = /^\/usr\/share\/doc\/calltap\/examples\/(.+)$/.exec(word) ?? [];
      return path === undefined ? [] : [join('deploy', path.replace(/^config\//, 'examples/'))];
    });
    const gone = [...files, ...packaged].filter((path) => !existsSync(join(repositoryRoot(), path)));
    return isMissing ? [`${where}: npm ${script}`] : gone.map((path) => `${where}: ${path}`);
  });
  assert.deepEqual(wrong, []);
});

type Document = { readonly paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }> };

test('every URL that curl asks for is a route, with parameters that it takes', () => {
  const routes = ['docs/openapi.json', 'docs/ask-openapi.json'].flatMap((file) =>
    Object.entries((JSON.parse(repositoryFile(file)) as Document).paths),
  );
  const urls = SH.flatMap(({ where, words }) =>
    words[0] === 'curl' ? [[where, words.find((one) => one.startsWith('http')) ?? '']] : [],
  );
  assert.ok(urls.length > 10);
  for (const [where, text = ''] of urls) {
    const url = new URL(text.replace('$part', 'PART'));
    const parts = url.pathname.split('/');
    const found = routes.filter(([path]) => {
      const wanted = path.split('/');
      return wanted.length === parts.length && wanted.every((one, i) => one === parts[i] || one.startsWith('{'));
    });
    assert.ok(found.length > 0, `${where}: no route ${url.pathname}`);
    const names = found.flatMap(([, { get }]) =>
      (get?.parameters ?? []).filter((one) => one.in === 'query').map((one) => one.name),
    );
    for (const name of url.searchParams.keys())
      assert.ok(names.includes(name), `${where}: ${url.pathname} takes no ${name}`);
  }
});

test('the commands of a line are found as a shell finds them', () => {
  const text = 'A=1 sudo calltap \'a b\' --x="c $(cat d | head -1)" 2>/dev/null | jq . # e\n(f; g) > h && i \\\n  j\n';
  assert.deepEqual(
    commandsOf(text, '').map(({ words }) => words),
    [['cat', 'd'], ['head', '-1'], ['calltap', 'a b', '--x=c $()'], ['jq', '.'], ['f'], ['g'], ['i', 'j']],
  );
});

test('a wrong option is found', () => {
  assert.match(mistake(['demo.pcap', '--colums', 'row']) ?? '', /--columns/);
  assert.match(mistake(['demo.pcap', '--filter', 'mos<']) ?? '', /--filter/);
});
