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
import type { AgentPort } from '../port.ts';
import { NotHere } from '../refusal.ts';

/** The document at a path. Rejects with a refusal. */
type Find = <T extends TSchema>(path: string, shape: Named<T>) => Promise<Static<T>>;

type Part = 'select' | 'report' | 'correlated' | 'tree' | 'lint' | 'streams' | 'stream' | 'stats' | 'captureReport';

export function agentPart(find: Find): Pick<AgentPort, Part> {
  const ofCall = <T extends TSchema>(callId: string, part: string, shape: Named<T>) =>
    find(`/v1/dialogs/${encodeURIComponent(callId)}/${part}`, shape);
  return {
    async select(selector) {
      try {
        const { call } = await find(`/ask/calls/${encodeURIComponent(selector)}/head`, AskHead);
        return { callId: call.call_id };
      } catch (error) {
        if (error instanceof NotHere) return { none: true, near: null };
        throw error;
      }
    },
    report: (callId) => ofCall(callId, 'report', Dialog),
    correlated: (callId) => ofCall(callId, 'correlated', Correlation),
    tree: (callId) => ofCall(callId, 'tree', CallTree),
    lint: (callId) => ofCall(callId, 'lint', LintResult),
    streams({ limit, offset, orphaned, mosBelow }) {
      const asked = new URLSearchParams({ limit: String(limit), offset: String(offset) });
      if (orphaned !== undefined) asked.set('orphaned', String(orphaned));
      if (mosBelow !== undefined) asked.set('mos_below', String(mosBelow));
      return find(`/v1/streams?${asked}`, StreamList);
    },
    stream: (ssrc) => find(`/v1/streams/${hexWord(ssrc)}`, RtpStream),
    stats: () => find('/v1/stats', Stats),
    captureReport: () => find('/v1/report', CaptureReport),
  };
}
