/**
 * Three agents on the hosts of three proxies, a store, and a hub that answers for all of them: what an operator of several
 * servers has, on one machine.
 */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../cli/run-program.ts';
import { until } from '../helpers/patience.ts';
import type { TestStore } from '../helpers/store.ts';
import type { Owner, Running } from '../live/namespaces.ts';
import { PROXIES, ProxyChain, type ProxyHost } from './proxy-chain.ts';
import { relay } from './relay.ts';

const RELAY = fileURLToPath(new URL('./relay.js', import.meta.url));
/** Nobody else is in its namespace. */
const API_PORT = 8080;
const STORE_PORT = 8123;

export class HubLab {
  readonly chain: ProxyChain;
  readonly #store: TestStore;
  readonly #tunnels: Server[] = [];
  readonly #agents = new Map<ProxyHost, string>();
  #hubUrl = '';

  constructor(owner: Owner, store: TestStore) {
    this.#store = store;
    this.chain = new ProxyChain(owner);
    owner.after(async () => {
      for (const tunnel of this.#tunnels) tunnel.close();
    });
  }

  /** Where the hub answers: `http://127.0.0.1:PORT`. */
  get hubUrl(): string {
    return this.#hubUrl;
  }

  /** The end of the tunnel to the agent of a host. */
  agentUrl(host: ProxyHost): string {
    return this.#agents.get(host) ?? '';
  }

  /** Starts proxies, agents and hub; resolves to the hub when all of them answer. `hubApi` is an address and a port, 0 for any. */
  async start(hubApi = '127.0.0.1:0'): Promise<Running> {
    await this.chain.open();
    for (const host of PROXIES) await this.#startAgent(host);
    const named = PROXIES.flatMap((host) => ['--agent', `${host}=${this.agentUrl(host)}`]);
    const serves = ['--api', hubApi, '--ask', '--console', '--mcp'];
    const hub = this.chain.startHere([PROGRAM, 'hub', '--store', `${this.#store.url}/calltap`, ...named, ...serves]);
    this.#hubUrl = (await this.chain.said(hub, /api listening on (\S+)/))[1] ?? '';
    return hub;
  }

  async #startAgent(host: ProxyHost): Promise<void> {
    const [toStore, toApi] = [this.chain.path(`${host}-store.sock`), this.chain.path(`${host}-api.sock`)];
    this.#tunnels.push(relay(toStore, new URL(this.#store.url).port));
    const outside = relay('0', toApi);
    this.#tunnels.push(outside);
    await once(outside, 'listening');
    // A server that listens on TCP has an address with a port.
    const { port } = outside.address() as AddressInfo;
    this.#agents.set(host, `http://127.0.0.1:${port}`);
    this.chain.start(host, process.execPath, [RELAY, `${STORE_PORT}`, toStore, toApi, `${API_PORT}`]);
    await this.chain.listening(host, STORE_PORT, 'tcp');
    const ship = ['--ship', `http://127.0.0.1:${STORE_PORT}/calltap`, '--ship-host', host, '--ship-messages', 'full'];
    const kept = ['--ship-spool', this.chain.path(`${host}-spool`), '-O', this.chain.path(`${host}.pcapng`)];
    const serves = ['--api', `127.0.0.1:${API_PORT}`, '--ask', '--retain-audio'];
    const agent = this.chain.start(host, process.execPath, [PROGRAM, '-d', 'any', ...ship, ...kept, ...serves]);
    await this.chain.said(agent, /api listening on/);
    await this.chain.said(agent, /capturing on any/);
  }

  /** The body of what the hub answers at a path. Rejects where it is no 200. */
  async ask(path: string): Promise<unknown> {
    return askAt(this.#hubUrl, path);
  }

  /** The same once `is` holds of it. */
  async askWhen<T>(path: string, is: (found: T) => boolean): Promise<T> {
    let seen: unknown = null;
    return until(
      async () => {
        // What a route answers is as the contract says.
        const found = (await this.ask(path)) as T;
        seen = found;
        return is(found) ? { found } : null;
      },
      () => `${path} is ${JSON.stringify(seen).slice(0, 2_000)}`,
    ).then(({ found }) => found);
  }
}

export async function askAt(url: string, path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
