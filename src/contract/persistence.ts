/** The persistence gate: whether captured content may reach disk, and the command line's ceiling on that. */

import type { Static } from 'typebox';
import { Type } from 'typebox';
import { named } from './schema.ts';

export const Persistence = named('Persistence', Type.Object({ enabled: Type.Boolean(), authorized: Type.Boolean() }));
export type Persistence = Static<typeof Persistence>;

/** Exactly `{enabled}`; anything else is a 400 and leaves the gate as it was. */
export const PersistenceRequest = named(
  'PersistenceRequest',
  Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false }),
);
export type PersistenceRequest = Static<typeof PersistenceRequest>;
