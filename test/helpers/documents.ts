/**
 * All documents of a session as the API shows them: every page of a list, and the full document of every stream.
 */
import type { ApiReaders } from '../../src/api/readers.ts';
import type { CaptureSession } from '../../src/app/capture-session.ts';
import { streamDocument } from '../../src/app/documents.ts';
import { asJson } from './read-capture.ts';

export type Json = Readonly<Record<string, unknown>>;

const PAGE = 7;

/** Rows of the dialog list, page by page. */
export async function allDialogs(readers: ApiReaders): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = await readers.dialogs({ limit: PAGE, offset: rows.length });
    rows.push(...page.dialogs.map(asJson));
    if (page.dialogs.length === 0) return rows;
  }
}

/** The full document of every stream; several may share an SSRC. */
export function allStreams(session: CaptureSession): Json[] {
  return session.streams.newestFirst().map((s) => asJson(streamDocument(session, s)));
}
