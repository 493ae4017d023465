/**
 * The agents that `[agents]` names: the hosts that a hub asks, where each answers, and the key that goes there. Nothing else is
 * ever dialled, whatever address an agent ships.
 */
import type { Config } from '../../config/config.ts';
import { oneLine } from '../../config/option-value.ts';
import { readCertificate, readKey } from '../../config/text-file.ts';
import { failure, type ServiceError } from '../../core/errors.ts';
import { readPlace, refusedAddress, type Target } from '../../net/target.ts';

/** Agents that `[agents]` can name. @cap */
export const MAX_AGENTS = 200;

type Options = Pick<Config, 'agent' | 'agentKeyFile' | 'agentCa'>;

/** As `--ship-host` may be. */
const HOST = /^[\w.-]{1,64}$/;
const KEY_HINT = 'name a file with its key as key_file of this agent';

/** By the name of each host. Throws ServiceError, which names the entry. */
export function agentTargets({ agent, agentKeyFile, agentCa }: Options): ReadonlyMap<string, Target> {
  if (agent.length > MAX_AGENTS)
    throw wrong('--agent', `there are more than ${MAX_AGENTS} agents`, 'ask some of them with another hub');
  const urls = byHost(agent, 'URL');
  const keyFiles = byHost(agentKeyFile, 'FILE');
  const cas = byHost(agentCa, 'FILE');
  for (const host of [...keyFiles.keys(), ...cas.keys()])
    if (!urls.has(host)) throw wrong(`agent ${host}`, 'it has no url', 'add url = "https://…" below [agents.NAME]');
  return new Map([...urls].map(([host, url]) => [host, targetOf(host, url, keyFiles.get(host), cas.get(host))]));
}

function targetOf(host: string, url: string, keyFile: string | undefined, ca: string | undefined): Target {
  const option = `agent ${host}`;
  const remedy = 'give https://HOST:PORT, or http://127.0.0.1:PORT for the end of a tunnel';
  const place = readPlace(url);
  if ('reason' in place || !url.includes('://'))
    throw wrong(option, 'reason' in place ? place.reason : 'its url begins with neither http nor https', remedy);
  const target: Target = {
    ...place,
    key: keyFile === undefined ? null : { text: readKey(`${option}: key_file`, keyFile), isLocal: false },
    keyHint: KEY_HINT,
    ca: ca === undefined ? null : readCertificate(`${option}: ca`, ca),
    isTunnel: true,
  };
  const refused = refusedAddress(target);
  if (refused !== null) throw wrong(option, refused.message, remedy);
  return target;
}

/** Of `NAME=TEXT`, what follows each name. */
function byHost(texts: readonly string[], what: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const equal = text.indexOf('=');
    const host = text.slice(0, Math.max(0, equal));
    const option = `agent ${oneLine(host.slice(0, 80))}`;
    const remedy = `write NAME=${what}, with the --ship-host of the agent`;
    if (!HOST.test(host)) throw wrong(option, 'a name has 1 to 64 letters, digits and . _ -', remedy);
    if (equal + 1 === text.length) throw wrong(option, `the ${what} is missing`, remedy);
    if (found.has(host)) throw wrong(option, 'it appears more than once', 'give it once');
    found.set(host, text.slice(equal + 1));
  }
  return found;
}

function wrong(option: string, reason: string, remedy: string): ServiceError {
  return failure('OPTION_CONFLICT', { option, reason, remedy });
}
