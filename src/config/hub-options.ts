/** Rows of the table of options: where many agents keep what they saw, and the command that asks there. */
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { RowValues } from './option-spec.ts';
import { group, text, toggle, value } from './option-spec.ts';

type HubValues = RowValues<typeof HUB> & { readonly api: unknown; readonly metrics: unknown };

const OF_COMMAND = {
  needs: ['hub'],
  unmet: { reason: 'it goes with the command hub', remedy: 'write calltap hub --store URL' },
  isForFlags: true,
} as const;

export const HUB = group('Many hosts', {
  hub: toggle('Answer from the store of many agents; `calltap hub` is short for it.'),
  migrate: toggle('Make the tables of the store, or add what they lack, and exit (with hub).', OF_COMMAND),
  store: value('URL', text, 'Use this ClickHouse as the store: http[s]://HOST:PORT/DATABASE.', {
    ...OF_COMMAND,
    toml: 'hub.store',
  }),
  'store-user': value('NAME', text, 'Log in to the store as this user instead of default.', {
    ...OF_COMMAND,
    toml: 'hub.store_user',
  }),
  'store-password-file': value('FILE', text, 'Read the password of this user from a file.', {
    ...OF_COMMAND,
    toml: 'hub.store_password_file',
  }),
  'store-ca': value('FILE', text, 'Trust the CA of this PEM file too, for --store over https.', {
    ...OF_COMMAND,
    toml: 'hub.store_ca',
  }),
  cluster: value('NAME', text, 'Make replicated and distributed tables on this cluster of the store.', {
    ...OF_COMMAND,
    toml: 'hub.cluster',
  }),
  agent: value('NAME=URL', text, 'Ask the agent of this --ship-host here for captures, audio and health.', {
    ...OF_COMMAND,
    repeatable: true,
    toml: 'hub.agent',
  }),
  'agent-key-file': value('NAME=FILE', text, 'Send this agent the key in a file.', {
    ...OF_COMMAND,
    repeatable: true,
    toml: 'hub.agent_key_file',
  }),
  'agent-ca': value('NAME=FILE', text, 'Trust the CA of this PEM file too, for this agent.', {
    ...OF_COMMAND,
    repeatable: true,
    toml: 'hub.agent_ca',
  }),
});

const OF_STORE = ['store', 'store-user', 'store-password-file', 'store-ca'] as const;
const OF_AGENTS = ['agent', 'agent-key-file', 'agent-ca'] as const;

const ANYWAY: readonly string[] = ['hub', ...OF_STORE, 'config', 'print-config'];
const OF_MIGRATE: readonly string[] = [...ANYWAY, 'migrate', 'cluster'];
/** What a hub serves, and to whom. */
const OF_SERVING: readonly string[] = [
  ...ANYWAY,
  ...OF_AGENTS,
  ...['api', 'ask', 'console', 'mcp', 'api-max-rows', 'api-max-conn', 'metrics', 'metrics-families', 'names', 'name', 'call-id-header'],
  ...['api-key', 'api-key-file', 'api-signing-key', 'api-signing-key-file', 'api-revoked-file'],
  ...['mcp-signing-key', 'metrics-auth', 'metrics-auth-file'],
];

/** What is wrong with the command; `strangerTo` finds the first option that is not among these, as it is written. */
export function hubConflict(
  { hub, migrate, store, api, metrics }: HubValues,
  strangerTo: (known: readonly string[]) => string | null,
): ServiceError | null {
  if (!hub) return null;
  const conflict = (option: string, reason: string, remedy: string): ServiceError =>
    failure('OPTION_CONFLICT', { option, reason, remedy });
  const command = migrate ? 'hub --migrate' : 'hub';
  const stranger = strangerTo(migrate ? OF_MIGRATE : OF_SERVING);
  if (stranger === '--cluster')
    return conflict(stranger, 'only --migrate makes tables', 'add --migrate, or leave it out');
  if (stranger !== null) return conflict(stranger, `it cannot be combined with ${command}`, 'leave one of them out');
  const isFile = migrate ? '' : ', or write ./hub for a file of this name';
  if (store === null) return conflict(command, 'it names no store', `add --store URL${isFile}`);
  if (migrate || api !== null || metrics !== null) return null;
  return conflict(command, 'it serves nothing', 'add --api ADDR');
}
