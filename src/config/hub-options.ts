/** Rows of the table of options: where many agents keep what they saw, and the command that asks there. */
import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { RowValues } from './option-spec.ts';
import { group, text, toggle, value } from './option-spec.ts';

export const HUB = group('Many hosts', {
  hub: toggle('Work on the store of many agents; `calltap hub` is short for it.'),
  migrate: toggle('Make the tables of the store, or add what they lack, and exit (with hub).'),
  store: value('URL', text, 'Use this ClickHouse as the store: http[s]://HOST:PORT/DATABASE.', {
    toml: 'hub.store',
  }),
  'store-user': value('NAME', text, 'Log in to the store as this user instead of default.', { toml: 'hub.store_user' }),
  'store-password-file': value('FILE', text, 'Read the password of this user from a file.', {
    toml: 'hub.store_password_file',
  }),
  'store-ca': value('FILE', text, 'Trust the CA of this PEM file too, for --store over https.', {
    toml: 'hub.store_ca',
  }),
  cluster: value('NAME', text, 'Make replicated and distributed tables on this cluster of the store.', {
    toml: 'hub.cluster',
  }),
});

/** Options that mean nothing without the command. */
export const OF_COMMAND = ['migrate', 'store', 'store-user', 'store-password-file', 'store-ca', 'cluster'] as const;
/** Those that may stand beside it. */
export const OF_HUB: readonly string[] = ['hub', ...OF_COMMAND, 'config', 'print-config'];

/** What is wrong with the command; `stranger` is an option that does not go with it, as it is written. */
export function hubConflict(
  { hub, migrate, store }: RowValues<typeof HUB>,
  stranger: string | null,
): ServiceError | null {
  const conflict = (option: string, reason: string, remedy: string): ServiceError =>
    failure('OPTION_CONFLICT', { option, reason, remedy });
  if (!hub) return null;
  if (stranger !== null) return conflict(stranger, 'it cannot be combined with hub', 'leave one of them out');
  if (!migrate) {
    const remedy = 'add --migrate to make the tables of a store, or write ./hub for a file of this name';
    return failure('OPTION_NOT_BUILT_IN', { option: 'hub', reason: 'the hub that answers is not built yet', remedy });
  }
  return store === null ? conflict('hub --migrate', 'it names no store', 'add --store URL') : null;
}
