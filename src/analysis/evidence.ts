/**
 * What every judgement rests on: the stores, how far the capture has come, and what the operator set.
 */
import type { Names } from '../core/names.ts';
import type { Thresholds } from '../core/thresholds.ts';
import type { Trunks } from '../core/trunks.ts';
import type { Capture, Stores } from '../store/stores.ts';
import type { CorrelationStores } from './correlation.ts';
import type { SeenMedia } from './media/path-ground.ts';

export type Rules = {
  readonly thresholds: Thresholds;
  /** Ids of lint rules that are not run. */
  readonly lintSuppress: readonly string[];
  /** Further headers that carry the Call-ID of another leg. */
  readonly callIdHeaders: readonly string[];
  /** What the operator calls addresses. */
  readonly names: Names;
  /** What this host is called where there are several. */
  readonly host: string;
  /** What the operator calls trunks, and which addresses are our own side's. */
  readonly trunks: Trunks;
};

/** What documents had to leave out, counted each time one is made. */
export type Omitted = {
  /** Messages that no lint rule saw, because those before them held LINT_BYTES. */
  lintMessages: number;
  /** Quality intervals of a dialog beyond MAX_DIALOG_INTERVALS. */
  intervals: number;
  /** Requests answered with 503, because too many others waited. */
  refused: number;
};

export type Evidence = {
  readonly stores: Stores;
  readonly capture: Capture;
  readonly rules: Rules;
  /** What ties calls, also where nothing indexed it as they came. */
  readonly ties: () => CorrelationStores;
  readonly vantage: SeenMedia;
  readonly omitted: Omitted;
  /** What the trunk at an address is called: its name, else the address; null for our own side. */
  readonly trunkAt: (address: string) => string | null;
};
