/** What agents ask a running service for besides what the terminal does: documents of `/v1`. */
import type { Static, TSchema } from 'typebox';
import type { Named } from '../../contract/index.ts';
import {
  AskHead,
  CallTree,
  CaptureReport,
  Correlation,
  Dialog,
  LintResult,
  RtpStream,
  Stats,
  StreamList,
} from '../../contract/index.ts';
import { hexWord } from '../../core/fixed-digits.ts';
import type { Found } from '../found.ts';
import type { AgentPort } from '../serve-port.ts';

/** The document at a path; null where none comes, one of null where the service has no such thing. */
type Find = <T extends TSchema>(path: string, shape: Named<T>) => Promise<Found<Static<T>> | null>;

type Part = 'select' | 'report' | 'correlated' | 'tree' | 'lint' | 'streams' | 'stream' | 'stats' | 'captureReport';

export function agentPart(find: Find): Pick<AgentPort, Part> {
  const ofCall = <T extends TSchema>(callId: string, part: string, shape: Named<T>) =>
    find(`/v1/dialogs/${encodeURIComponent(callId)}/${part}`, shape);
  const all = async <T extends TSchema>(path: string, shape: Named<T>): Promise<Static<T> | null> =>
    (await find(path, shape))?.document ?? null;
  return {
    async select(selector) {
      const found = await find(`/ask/calls/${encodeURIComponent(selector)}/head`, AskHead);
      if (found === null) return null;
      return found.document === null ? { none: true, near: null } : { callId: found.document.call.call_id };
    },
    report: (callId) => ofCall(callId, 'report', Dialog),
    correlated: (callId) => ofCall(callId, 'correlated', Correlation),
    tree: (callId) => ofCall(callId, 'tree', CallTree),
    lint: (callId) => ofCall(callId, 'lint', LintResult),
    streams({ limit, offset, orphaned, mosBelow }) {
      const asked = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      if (orphaned !== undefined) asked.set('orphaned', String(orphaned));
      if (mosBelow !== undefined) asked.set('mos_below', String(mosBelow));
      return all(`/v1/streams?${asked}`, StreamList);
    },
    stream: (ssrc) => find(`/v1/streams/${hexWord(ssrc)}`, RtpStream),
    stats: () => all('/v1/stats', Stats),
    captureReport: () => all('/v1/report', CaptureReport),
  };
}
