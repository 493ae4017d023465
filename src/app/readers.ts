/**
 * What the API reads of a session: the stores through the views.
 */
import type { ApiReaders } from '../api/readers.ts';
import type { StreamList } from '../contract/index.ts';
import type { Stream } from '../store/stream.ts';
import { queryDialogs } from '../view/dialog-query.ts';
import type { CaptureSession } from './capture-session.ts';
import { dialogDocument, streamDocument, streamRow } from './documents.ts';
import { metricsSnapshot } from './metrics.ts';
import { toStats } from './stats.ts';

export function createReaders(session: CaptureSession): ApiReaders {
  const { dialogs, streams } = session;
  return {
    dialogs: (f) => queryDialogs(dialogs, f, session.sources, () => performance.now()),
    dialog(callId) {
      const d = dialogs.get(callId);
      return d === undefined ? null : dialogDocument(session, d);
    },
    streams(f): StreamList {
      const rows: StreamList['streams'] = [];
      let total = 0;
      for (const s of streams.newestFirst()) {
        if (f.orphaned !== undefined && (s.dialog === null) !== f.orphaned) continue;
        const isOnPage = total >= f.offset && rows.length < f.limit;
        if (f.mosBelow === undefined && !isOnPage) {
          total++;
          continue;
        }
        const row = streamRow(session, s);
        if (row === null) continue;
        if (f.mosBelow !== undefined && !(row.mos !== undefined && row.mos < f.mosBelow)) continue;
        if (isOnPage) rows.push(row);
        total++;
      }
      return { schema_version: 1, total, offset: f.offset, limit: f.limit, streams: rows };
    },
    stream(ssrc) {
      let best: { packets: number; stream: Stream } | null = null;
      for (const s of streams.newestFirst()) {
        if (s.ssrc !== ssrc) continue;
        const packets = streams.snapshot(s)?.packets ?? 0;
        // Newest first: of equals the later one met is the older.
        if (best === null || packets >= best.packets) best = { packets, stream: s };
      }
      return best === null ? null : streamDocument(session, best.stream);
    },
    stats: () => toStats(session),
    metrics: () => metricsSnapshot(session),
    persistence: () => session.outputs.gate.state(),
    setPersistence: (isEnabled) => session.outputs.gate.request(isEnabled),
  };
}
