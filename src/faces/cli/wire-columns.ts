/** The columns of tables as CSV: the names of the wire, out of the schemas of its documents. */
import type { TSchema } from 'typebox';
import type { Named } from '../../contract/index.ts';
import {
  AskAlert,
  AskFinding,
  AskFindings,
  AskRegistration,
  AskTrunk,
  CompareRow,
  OverviewCell,
  QualityInterval,
  TrunkDown,
  TrunkFigures,
  TrunkQuantiles,
} from '../../contract/index.ts';

export type WireTable = 'findings' | 'registrations' | 'attackers' | 'trunks' | 'overview' | 'compare' | 'quality';

export const WIRE_COLUMNS: Readonly<Record<WireTable, readonly string[]>> = {
  // Three lists: what was found, final codes, and trunks that are down.
  findings: columnsOf([AskFinding, AskFindings.properties.codes.items, TrunkDown]),
  registrations: columnsOf([AskRegistration]),
  attackers: columnsOf([AskAlert]),
  trunks: columnsOf([AskTrunk], [TrunkFigures, TrunkQuantiles]).filter((name) => name !== 'minutes'),
  overview: columnsOf([OverviewCell]),
  compare: columnsOf([CompareRow]),
  quality: ['call_id', 'ssrc', 'src', 'dst', 'codec', ...columnsOf([QualityInterval])],
};

/** The columns of rows of these shapes, each once. `named` has what a schema names by reference. */
function columnsOf(shapes: readonly TSchema[], named: readonly Named<TSchema>[] = []): string[] {
  const byId = new Map(named.map((schema) => [`${schema.$id}#`, schema as TSchema]));
  return [...new Set(shapes.flatMap((shape) => [...leaves(shape, byId)]))];
}

type Shape = { readonly $ref?: string; readonly properties?: Readonly<Record<string, TSchema>> };

function* leaves(schema: TSchema, byId: ReadonlyMap<string, TSchema>): Generator<string> {
  for (const [name, of] of Object.entries((schema as Shape).properties ?? {})) {
    const shape = byId.get((of as Shape).$ref ?? '') ?? of;
    if ((shape as Shape).properties === undefined) yield name;
    else for (const leaf of leaves(shape, byId)) yield `${name}.${leaf}`;
  }
}
