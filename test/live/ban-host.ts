/**
 * A host of the lab with Debian's fail2ban and the kit of deploy/, installed by the commands of docs/security.md. It has
 * folders of its own in place of /etc, /run, /var/log and /var/lib/fail2ban, under the same names: no setting is changed.
 */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../helpers/patience.ts';
import type { Host, Lab, Running } from './lab.ts';
import { repositoryRoot } from './native-program.ts';

const FOLDERS = { etc: '/etc', run: '/run', log: '/var/log', lib: '/var/lib/fail2ban' } as const;

/** The commands of the section that lay files; what is left is systemctl, and the configuration of calltap itself. */
export function installation(): string[] {
  const page = readFileSync(join(repositoryRoot(), 'docs/security.md'), 'utf8');
  const section = page.slice(page.indexOf('\n## fail2ban\n'), page.indexOf('\n## syslog\n'));
  return [...section.matchAll(/^(?:install|systemd-tmpfiles) .*$/gm)].map(([command]) => command);
}

export class BanHost {
  readonly #lab: Lab;
  readonly #host: Host;
  #server: Running | null = null;

  constructor(lab: Lab, host: Host) {
    this.#lab = lab;
    this.#host = host;
    for (const name of ['run', 'log', 'lib']) mkdirSync(lab.path(name));
    cpSync('/etc', lab.path('etc'), { recursive: true, verbatimSymlinks: true });
    mkdirSync(lab.path('run/fail2ban'));
    // Debian's fail2ban comes with a jail for sshd, which refuses to start without the log of a syslog daemon.
    writeFileSync(lab.path('log/auth.log'), '');
    for (const command of installation()) this.run('sh', '-c', command);
  }

  /** Where a file of the host lies for the test; `path` below /etc, /run, /var/log or /var/lib/fail2ban. */
  path(path: string): string {
    const found = Object.entries(FOLDERS).find(([, folder]) => path.startsWith(`${folder}/`));
    if (found === undefined) assert.fail(`${path} is not this host's own`);
    return join(this.#lab.path(found[0]), path.slice(found[1].length));
  }

  #inside(command: readonly string[]): string[] {
    const mounts = Object.entries(FOLDERS).map(([name, at]) => `mount --bind '${this.#lab.path(name)}' ${at}`);
    return ['-c', `set -e; ${mounts.join('; ')}; cd '${repositoryRoot()}'; exec "$@"`, 'sh', ...command];
  }

  run(...command: readonly string[]): string {
    return this.#lab.do(this.#host, 'sh', this.#inside(command));
  }

  async start(): Promise<void> {
    // As Debian's unit does; in another zone than that of the lines.
    const command = ['env', 'TZ=Pacific/Auckland', 'fail2ban-server', '-xf', 'start'];
    const server = this.#lab.start(this.#host, 'sh', this.#inside(command));
    this.#server = server;
    const isReady = (): boolean => /^Server ready$/m.test(server.output());
    await until(
      () => isReady() || server.child.exitCode !== null,
      () => this.said(),
    );
    assert.ok(isReady(), server.output());
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    if (this.#server !== null) await this.#lab.stop(this.#server, signal);
  }

  client(...args: readonly string[]): string {
    return this.run('fail2ban-client', ...args);
  }

  /** Lines of calltap, as they come into the log now. */
  report(...texts: readonly string[]): void {
    const lines = texts.map((text) => `${new Date().toISOString()} calltap[7]: ${text}\n`);
    appendFileSync(this.path('/var/log/calltap/security.log'), lines.join(''));
  }

  banned(): string[] {
    const list = /Banned IP list:\t(.*)/.exec(this.client('status', 'calltap'))?.[1] ?? '';
    return list.split(' ').filter(Boolean).sort();
  }

  /** Waits until exactly these are banned, by fail2ban and in the firewall. */
  async hasBanned(...whom: readonly string[]): Promise<void> {
    const wanted = [...whom].sort();
    await until(
      () => JSON.stringify([this.banned(), this.elements()]) === JSON.stringify([wanted, wanted]),
      () => `${this.banned()}; ${this.elements()}; ${this.said()}`,
      200,
    );
  }

  /** What the firewall drops. */
  elements(): string[] {
    const rules = this.run('nft', 'list', 'ruleset');
    const lists = [...rules.matchAll(/elements = \{([^}]*)\}/g)].map(([, list]) => list ?? '');
    return lists
      .flatMap((list) => list.split(','))
      .map((element) => element.trim())
      .sort();
  }

  /** How many packets were dropped. */
  dropped(): number {
    const counters = [...this.run('nft', 'list', 'ruleset').matchAll(/counter packets (\d+) /g)];
    return counters.reduce((sum, [, n]) => sum + Number(n), 0);
  }

  said(): string {
    const log = this.path('/var/log/fail2ban.log');
    return existsSync(log) ? readFileSync(log, 'utf8') : 'fail2ban said nothing';
  }
}
