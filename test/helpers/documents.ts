/**
 * All documents of a session as the API shows them, and every way in which they are not what a case expects.
 */
import type { Expected } from '../../fixtures/build/expected.ts';
import { dialogMismatches, streamMismatches } from '../../fixtures/build/match.ts';
import type { Explorer } from '../../src/explore/port.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { asJson, type Json } from './json.ts';
import type { OpenSession } from './open-session.ts';

/** Small, so that a case of a few dialogs is paged too. */
const PAGE = 2;

/** Rows of the dialog list, page by page. */
async function allDialogs(readers: Explorer): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = await readers.dialogs({ limit: PAGE, offset: rows.length });
    if (page === null) throw new Error('too many lists');
    rows.push(...page.dialogs.map(asJson));
    if (page.dialogs.length === 0) return rows;
  }
}

/** The full document of every stream; several may share an SSRC. */
function allStreams(session: OpenSession): Json[] {
  return [...session.streams.fromNewest()].map((s) => asJson(streamDocument(session.evidence, s)));
}

/** Empty when the session says what the case expects. */
export async function sessionMismatches(session: OpenSession, expected: Expected): Promise<string[]> {
  const readers = session.explorer;
  const wrong: string[] = [];
  const { messages } = session.ingest.tracker.counts;
  if (messages !== expected.sip_messages) wrong.push(`SIP messages: wanted ${expected.sip_messages}, got ${messages}`);
  const rows = await allDialogs(readers);
  if (rows.length !== expected.dialogs.length)
    wrong.push(`dialogs: wanted ${expected.dialogs.length}, got ${rows.length}`);
  for (const wanted of expected.dialogs) {
    const full = await readers.dialog(wanted.call_id);
    const row = rows.find((r) => r['call_id'] === wanted.call_id);
    if (full === null || row === undefined) wrong.push(`${wanted.call_id}: no such dialog`);
    else wrong.push(...dialogMismatches(wanted, asJson(full), row));
  }
  wrong.push(...streamMismatches(expected.streams, allStreams(session)));
  return wrong;
}
