/**
 * All documents of a session as the API shows them, and every way in which they are not what a case expects.
 */
import type { Expected } from '../../fixtures/build/expected.ts';
import { dialogMismatches, streamMismatches } from '../../fixtures/build/match.ts';
import type { CaptureSession } from '../../src/app/capture-session.ts';
import type { ApiReaders } from '../../src/explore/explorer.ts';
import { createReaders } from '../../src/explore/memory-explorer.ts';
import { streamDocument } from '../../src/view/documents.ts';
import { asJson, type Json } from './json.ts';

/** Small, so that a case of a few dialogs is paged too. */
const PAGE = 2;

/** Rows of the dialog list, page by page. */
async function allDialogs(readers: ApiReaders): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = await readers.dialogs({ limit: PAGE, offset: rows.length });
    if (page === null) throw new Error('too many lists');
    rows.push(...page.dialogs.map(asJson));
    if (page.dialogs.length === 0) return rows;
  }
}

/** The full document of every stream; several may share an SSRC. */
function allStreams(session: CaptureSession): Json[] {
  return session.streams.newestFirst().map((s) => asJson(streamDocument(session, s)));
}

/** Empty when the session says what the case expects. */
export async function sessionMismatches(session: CaptureSession, expected: Expected): Promise<string[]> {
  const readers = createReaders(session);
  const wrong: string[] = [];
  const { messages } = session.tracker.counts;
  if (messages !== expected.sip_messages) wrong.push(`SIP messages: wanted ${expected.sip_messages}, got ${messages}`);
  const rows = await allDialogs(readers);
  if (rows.length !== expected.dialogs.length)
    wrong.push(`dialogs: wanted ${expected.dialogs.length}, got ${rows.length}`);
  for (const wanted of expected.dialogs) {
    const full = (await readers.dialog(wanted.call_id))?.document ?? null;
    const row = rows.find((r) => r['call_id'] === wanted.call_id);
    if (full === null || row === undefined) wrong.push(`${wanted.call_id}: no such dialog`);
    else wrong.push(...dialogMismatches(wanted, asJson(full), row));
  }
  wrong.push(...streamMismatches(expected.streams, allStreams(session)));
  return wrong;
}
