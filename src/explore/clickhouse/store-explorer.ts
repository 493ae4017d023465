/**
 * Answers the questions of the port from the store of many agents: what one host would say of its own calls, over all hosts.
 * Whatever the store does not answer rejects with a refusal. What a store cannot have, an agent is asked for (explore/agents).
 */
import type { CallDocument, Dialog } from '../../contract/index.ts';
import type { Names } from '../../core/names.ts';
import { callReport } from '../../export/call-report.ts';
import { linesOf, Reports } from '../../export/call-text.ts';
import { RecalledDialogs } from '../../ingest/recalled.ts';
import { RemoteFailure } from '../../net/failures.ts';
import type { LadderStyle } from '../../view/ladder-text.ts';
import { ladderLines } from '../../view/ladder-text.ts';
import type { MetricFamily } from '../../view/metrics/family.ts';
import { countsOf } from '../../view/metrics/family.ts';
import type { ReportInput } from '../../view/report-input.ts';
import { toTermination } from '../../view/termination.ts';
import type { TextLayout } from '../call-questions.ts';
import { MAX_LEGS_SHOWN } from '../limits.ts';
import type { Questions } from '../port.ts';
import type { AnsweredBy } from '../questions.ts';
import { orNotHere } from '../refusal.ts';
import type { Selected } from '../selector.ts';
import {
  comparisonOf,
  documentOf,
  headOf,
  ladderOf,
  messagesOf,
  qualityOf,
  selected,
  storedCalls,
} from './call-answers.ts';
import { pageOf } from './call-list.ts';
import { findingsOf, registrationsOf } from './call-sums.ts';
import { storeFailure } from './failures.ts';
import type { Asking } from './filter-sql.ts';
import { numberIn } from './migrate.ts';
import type { PartKey } from './parts.ts';
import { partsOf, readCallName } from './parts.ts';
import type { StoreLogin, StorePlace } from './place.ts';
import { readSchema, schemaNumber } from './schema.ts';
import { Store } from './store.ts';
import type { StoreReader } from './store-reader.ts';
import { STORE_QUESTIONS, StoreReaders } from './store-reader.ts';
import { correlationOf, legsOf, treeOf } from './stored-legs.ts';
import type { AgentRow } from './stored-lists.ts';
import { agentRowsOf, dialogsOf, StoredChanges } from './stored-lists.ts';
import { callOfStream, streamOf, streamsOf } from './stored-media.ts';
import { overviewOf } from './stored-overview.ts';
import { storedPage } from './stored-page.ts';
import { storedReport } from './stored-report.ts';
import { trunksOf, trunksWrong } from './stored-trunks.ts';
import { traceOf } from './trace.ts';

/** A Call-ID may be `host:NAME:CALLID`: then the part of that host alone is meant. */
export type StoreExplorer = Pick<Questions, AnsweredBy<'store'>> & {
  /** Where the call was seen, the part that saw the first message first; none where it is not in the store. */
  partsOf(callId: string): Promise<readonly PartKey[]>;
  /** The runs of agents by their newest heartbeat, newest first. */
  agentRows(): Promise<readonly AgentRow[]>;
  /** How the store is asked; their names begin with `calltap_hub_store_`. */
  families?(): readonly MetricFamily[];
};

export type OpenStore = StoreExplorer & { close(): Promise<void> };

/** Rejects with RemoteFailure where the store cannot be reached or used. */
export async function openStoreExplorer(
  place: StorePlace,
  login: StoreLogin,
  options: StoreExplorerOptions,
): Promise<OpenStore> {
  const store = new Store(place, login, place.database);
  try {
    const found = await numberIn(store);
    const wanted = schemaNumber(readSchema());
    if (found < wanted) {
      const reason = found === 0 ? 'it has no tables of calltap' : `its tables are of schema ${found}, not ${wanted}`;
      throw new RemoteFailure('no', reason, 'run calltap hub --migrate --store with the same URL');
    }
  } catch (error) {
    store.close();
    throw error instanceof RemoteFailure ? error : storeFailure(error);
  }
  const readers = new StoreReaders(store);
  const { counters } = readers;
  return {
    ...createStoreExplorer(readers, options),
    families: () => [
      countsOf(
        'calltap_hub_store_questions_total',
        STORE_QUESTIONS.map((name) => [name, counters.get(name)] as const),
      ),
    ],
    close: async () => readers.close(),
  };
}

export type StoreExplorerOptions = {
  readonly names: Names;
  /** Further headers that carry the Call-ID of another leg. */
  readonly callIdHeaders: readonly string[];
  /** Microseconds since the epoch. */
  readonly nowUs?: () => number;
};

export function createStoreExplorer(readers: StoreReaders, options: StoreExplorerOptions): StoreExplorer {
  const { names, callIdHeaders, nowUs = () => Date.now() * 1000 } = options;
  const asking = (): Asking => ({ nowUs: nowUs(), isUtc: false, names });
  const changes = new StoredChanges(readers);
  const read = <T>(work: (reader: StoreReader) => Promise<T>): Promise<T> => readers.read(work);
  const found = async <T>(work: (reader: StoreReader) => Promise<T | null>): Promise<T> => orNotHere(await read(work));

  return {
    page: (question, limit, cursor) => read((reader) => pageOf(reader, asking(), question, limit, cursor)),
    call: (callId) => found((reader) => documentOf(reader, callId)),
    dialog: (callId) => found((reader) => dialogOf(reader, callId)),
    report: (callId) => found((reader) => dialogWithCause(reader, callId)),
    head: (callId) => found((reader) => headOf(reader, callId, names)),
    legs: (callId) => found((reader) => legsOf(reader, callId, callIdHeaders)),
    tree: (callId, maxRows) => found((reader) => treeOf(reader, callId, callIdHeaders, maxRows)),
    correlated: (callId, maxRows) => found((reader) => correlationOf(reader, callId, callIdHeaders, maxRows)),
    messages: (callIds) => found((reader) => messagesOf(reader, callIds)),
    ladder: (callIds) => found((reader) => ladderOf(reader, callIds, names)),
    compare: (a, b) => found((reader) => comparisonOf(reader, a, b)),
    quality: (callId) => found((reader) => qualityOf(reader, callId)),
    text: (callIds, layout, style) => found((reader) => textOf(reader, names, callIds, layout, style)),
    html: (callIds, asked) => found((reader) => storedPage(reader, callIds, names, asked)),
    findings: (question) =>
      read((reader) => findingsOf(reader, asking(), question, () => trunksWrong(reader, asking()))),
    registrations: (question) => read((reader) => registrationsOf(reader, asking(), question)),
    trunks: (asked) => read((reader) => trunksOf(reader, asking(), asked)),
    overview: (asked) => read((reader) => overviewOf(reader, asking(), asked)),
    changes: (since) => changes.since(since),
    dialogs: (filter) => read((reader) => dialogsOf(reader, asking(), filter)),
    streams: (filter) => read((reader) => streamsOf(reader, asking(), filter)),
    stream: async (ssrc) =>
      orNotHere(await read((reader) => streamOf(reader, ssrc)), 'There is no stream with this SSRC.'),
    select: (selector) => read((reader) => select(reader, selector)),
    partsOf: (callId) => read((reader) => partsOf(reader, callId)),
    agentRows: () => read(agentRowsOf),
  };
}

async function textOf(
  reader: StoreReader,
  names: Names,
  callIds: readonly string[],
  layout: TextLayout,
  style: LadderStyle,
): Promise<Iterable<string> | null> {
  if (layout === 'ladder') {
    const ladder = await ladderOf(reader, callIds, names);
    return ladder && reader.inTurns(linesOf(ladderLines(ladder, style)));
  }
  const reports = new Reports();
  for (const callId of callIds.slice(0, MAX_LEGS_SHOWN)) {
    const report = reports.hasRoom ? await reportOf(reader, callId, names) : null;
    if (report !== null) await reader.inTurns(reports.add(callReport(report, layout === 'markdown', style)));
  }
  return reports.finish(callIds.length);
}

async function select(reader: StoreReader, selector: string): Promise<Selected> {
  const callId = await selected(reader, selector);
  if (callId !== null) return { callId };
  const ssrc = /^ssrc:0x([0-9a-f]{1,8})$/i.exec(selector)?.[1];
  const owner = ssrc === undefined ? null : await callOfStream(reader, Number.parseInt(ssrc, 16));
  return owner === null ? { none: true, near: null } : { callId: owner };
}

/** Documents of `/v1` have no times of their own, and the keys of the contract alone. */
async function dialogOf(reader: StoreReader, callId: string): Promise<Dialog | null> {
  const document = await documentOf(reader, callId);
  return document && ofContract(document);
}

function ofContract(document: CallDocument): Dialog {
  const { created_at: _created, updated_at: _updated, ...rest } = document;
  const { media_lines: _lines, media_lines_not_shown: _more, media_notes: _notes, ...said } = rest;
  const { phone_reports: _reports, reported: _reported, ...dialog } = said;
  return dialog;
}

/** The cause that the wire named for the end is read from the messages. */
async function dialogWithCause(reader: StoreReader, callId: string): Promise<Dialog | null> {
  const dialog = await dialogOf(reader, callId);
  if (dialog === null) return null;
  const stores = new RecalledDialogs(1, []);
  const { messages } = await traceOf(reader, await storedCalls(reader, [callId]));
  await reader.inTurns(stores.addAll(messages));
  const recalled = stores.dialogs.get(readCallName(callId).callId);
  const termination = recalled === undefined ? null : toTermination(recalled, []);
  return termination === null ? dialog : { ...dialog, termination };
}

async function reportOf(reader: StoreReader, callId: string, names: Names): Promise<ReportInput | null> {
  const [document, head, ladder, { messages }] = await Promise.all([
    documentOf(reader, callId),
    headOf(reader, callId, names),
    ladderOf(reader, [callId], names),
    storedCalls(reader, [callId]).then((calls) => traceOf(reader, calls)),
  ]);
  if (document === null || head === null || ladder === null) return null;
  return reader.inTurns(storedReport({ document, head, ladder, messages }));
}
