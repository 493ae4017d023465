/** Rows of the table of options: what is shipped to a store of many hosts, and what these say against each other. */

import type { ServiceError } from '../core/errors.ts';
import { failure } from '../core/errors.ts';
import type { RowValues } from './option-spec.ts';
import { choice, group, size, text, textSecret, value } from './option-spec.ts';

/**
 * Bytes of the spool of rows, and the least that an option may give it.
 *
 * @cap option 0 MiB, ship_spool_full: with `--ship`: bytes of the spool on the disk, and the least that `--ship-spool-bytes`
 * takes
 */
const SHIP_SPOOL_BYTES = 2 * 1024 ** 3;
const SHIP_SPOOL_LEAST_BYTES = 16 * 1024 * 1024;

type Shipping = RowValues<typeof SHIPPING>;

const OF_SHIP = { needs: ['ship'], isForFlags: true } as const;

export const SHIPPING = group('Shipping', {
  ship: value('URL', text, 'Ship calls to the ClickHouse at this URL; its path names the database.', {
    toml: 'ship.url',
    env: 'CALLTAP_SHIP',
  }),
  'ship-messages': value(
    'PARTS',
    choice('none', 'headers', 'full'),
    'Ship messages without their bodies, with them (full), or none.',
    { default: 'headers', toml: 'ship.messages' },
  ),
  'ship-host': value('NAME', text, 'Ship under this name instead of the host name.', {
    toml: 'ship.host',
    ...OF_SHIP,
  }),
  'ship-user': value('NAME', text, 'Log in to the store as this user.', { toml: 'ship.user', ...OF_SHIP }),
  'ship-password': value('PASSWORD', textSecret, 'Log in with this password; set it in the environment.', {
    env: 'CALLTAP_SHIP_PASSWORD',
    ...OF_SHIP,
  }),
  'ship-password-file': value('FILE', text, 'Read the password of --ship-user from a file.', {
    toml: 'ship.password_file',
    ...OF_SHIP,
  }),
  'ship-ca': value('FILE', text, 'Trust the CA of this PEM file too, for a store by https.', {
    toml: 'ship.ca',
    ...OF_SHIP,
  }),
  'ship-spool': value('DIR', text, 'Keep rows in this folder until they are stored; a service needs none.', {
    toml: 'ship.spool',
    ...OF_SHIP,
  }),
  'ship-spool-bytes': value(
    'SIZE',
    size(SHIP_SPOOL_LEAST_BYTES, 1024 ** 5),
    'Keep at most this much there; messages go first, calls last.',
    { default: `${SHIP_SPOOL_BYTES / 1024 ** 3}G`, toml: 'ship.spool_bytes' },
  ),
});

/** The first mistake of --ship; null without one. */
export function shipConflict({ ship, shipUser, shipPassword, shipPasswordFile }: Shipping): ServiceError | null {
  if (ship === null) return null;
  const wrong = (option: string, reason: string, remedy: string): ServiceError =>
    failure('OPTION_CONFLICT', { option, reason, remedy });
  const hasPassword = shipPassword !== null || shipPasswordFile !== null;
  if (shipPassword !== null && shipPasswordFile !== null)
    return wrong('--ship-password-file', 'it cannot be combined with --ship-password', 'give one of them');
  if (hasPassword !== (shipUser !== null))
    return hasPassword
      ? wrong('--ship-password-file', 'nobody says whose password it is', 'add --ship-user NAME')
      : wrong('--ship-user', 'there is no password', 'add --ship-password-file FILE');
  if (shipUser?.includes(':') === true)
    return wrong(
      '--ship-user',
      'the store would take what follows the colon for the password',
      'name a user without one',
    );
  return null;
}
