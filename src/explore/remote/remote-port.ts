/**
 * The terminal's port over the `/ask` of a running service.
 */

import type { Static, TSchema } from 'typebox';
import type { Named } from '../../contract/index.ts';
import {
  AskCalls,
  AskCompare,
  AskFindings,
  AskHead,
  AskLadder,
  AskMessages,
  AskPulse,
  AskQuality,
  AskRegistrations,
  AskSecurity,
  AskSipp,
  AskTrunks,
  CallDocument,
} from '../../contract/index.ts';
import { faults } from '../../core/faults.ts';
import {
  REMOTE_ANSWER_BYTES,
  REMOTE_FILE_BYTES,
  REMOTE_LIST_BYTES,
  REMOTE_PROBLEM_BYTES,
} from '../../core/item-limits.ts';
import { safeText } from '../../core/terminal-text.ts';
import type { Bounds } from '../../net/answer.ts';
import type { FailureKind } from '../../net/failures.ts';
import { connectionFailure, RemoteFailure, wrongShape } from '../../net/failures.ts';
import type { Target } from '../../net/target.ts';
import type { Pulse } from '../../view/pulse.ts';
import type { AgentPort, TerminalPort } from '../port.ts';
import { Cannot, Refusal } from '../refusal.ts';
import { agentPart } from './agent-part.ts';
import { callPath, query, readAudio, readCapture, readDocument, selectorOf } from './answers.ts';
import { Link } from './link.ts';
import { filterText, questionText } from './question-text.ts';
import { Requests } from './requests.ts';
import { noAsk } from './service-failures.ts';
import { captureTimeUs, isDrawable, isReadable } from './shapes.ts';
import { Watching } from './watching.ts';

export type RemotePort = TerminalPort & Required<Pick<TerminalPort, 'trouble'>> & AgentPort & { close(): void };

const DOCUMENT: Bounds = { bytes: REMOTE_ANSWER_BYTES, ms: 30_000 };
const LIST: Bounds = { bytes: REMOTE_LIST_BYTES, ms: 30_000 };
/** Such an answer waits for files that are still read, or for others before it. */
const FILE: Bounds = { bytes: REMOTE_FILE_BYTES, ms: 300_000 };
const PULSE: Bounds = { bytes: REMOTE_PROBLEM_BYTES, ms: 5_000 };
const PULSE_EVERY_MS = 2_000;

/** Rejects with RemoteFailure where the service cannot be reached, or does not let anybody in. `isUtc`: how times are written. */
export async function openRemote(target: Target, isUtc: boolean): Promise<RemotePort> {
  const requests = new Requests(target);
  try {
    const first = await readPulse(requests);
    return new Remote(requests, new Link(target.url, isUtc), isUtc, first).port();
  } catch (error) {
    requests.close();
    throw connectionFailure(error);
  }
}

async function readPulse(requests: Requests): Promise<Pulse> {
  const p = await readDocument(requests, '/ask/pulse', AskPulse, PULSE).catch((error: unknown) => {
    throw isOf(error, 'gone') ? noAsk(requests.path) : error;
  });
  const { calls, active, packets, dropped, outside, progress = null } = p;
  const nowUs = captureTimeUs(p);
  return {
    calls,
    active,
    packets,
    dropped,
    outside,
    progress,
    nowUs,
    sipMessages: p.sip_messages,
    isDegraded: p.is_degraded,
  };
}

function isOf(error: unknown, kind: FailureKind): error is RemoteFailure {
  return error instanceof RemoteFailure && error.kind === kind;
}

class Remote {
  readonly #requests: Requests;
  readonly #link: Link;
  readonly #isUtc: boolean;
  readonly #watching: Watching;
  #pulse: Pulse;
  #pulseMs = performance.now();
  #isAskingPulse = false;

  constructor(requests: Requests, link: Link, isUtc: boolean, pulse: Pulse) {
    this.#requests = requests;
    this.#link = link;
    this.#isUtc = isUtc;
    this.#pulse = pulse;
    this.#watching = new Watching(requests, link);
  }

  port(): RemotePort {
    const found = <T extends TSchema>(path: string, shape: Named<T>) => this.#answer(() => this.#document(path, shape));
    const asked = (question: Parameters<TerminalPort['page']>[0]): string =>
      questionText(question, this.#isUtc, this.#pulse.nowUs);
    const sound = <T extends TSchema>(path: string, shape: Named<T>, isSound: (document: Static<T>) => boolean) =>
      this.#answer(async () => {
        const document = await this.#document(path, shape);
        if (!isSound(document)) throw wrongShape();
        return document;
      });
    const ladder = (callIds: readonly string[]) => sound(callPath(callIds, 'ladder'), AskLadder, isDrawable);
    return {
      ...agentPart(found),
      page: (question, limit, cursor) =>
        this.#answer(async () => {
          const page = await this.#list(`/ask/calls?${asked(question)}&${query({ limit, cursor })}`, AskCalls);
          if (page.calls.length > limit) throw wrongShape();
          return page;
        }),
      changes: async (since) => this.#watching.since(since),
      call: (callId) => found(callPath([callId]), CallDocument),
      head: (callId) => found(callPath([callId], 'head'), AskHead),
      async legs(callId) {
        const { call_ids, leg_notes = [] } = await ladder([callId, '']);
        return { callIds: call_ids.filter((leg) => leg !== callId), notes: leg_notes.map(safeText) };
      },
      messages: (callIds) => sound(callPath(callIds, 'messages'), AskMessages, isReadable),
      ladder,
      text: (callIds, layout) => this.#answer(() => this.#lines(callPath(callIds, 'report', { layout }))),
      quality: (callId) => found(callPath([callId], 'quality'), AskQuality),
      compare: (a, b) => found(callPath([a], 'compare', { with: selectorOf(b) }), AskCompare),
      sipp: (callId) =>
        this.#ofCall('no-scenario', async () => {
          const { uac, uas, notes } = await this.#document(callPath([callId], 'sipp'), AskSipp);
          return { uac, uas, notes };
        }),
      capture: (callIds) =>
        this.#ofCall('no-capture', () => readCapture(this.#requests, callPath(callIds, 'capture'), FILE.ms)),
      audio: (callId, _signal, span) => this.#ofCall('no-audio', () => readAudio(this.#requests, callId, span, FILE)),
      findings: ({ filter }) =>
        this.#answer(() => this.#list(`/ask/findings?${this.#filterQuery(filter)}`, AskFindings)),
      registrations: ({ filter }) =>
        this.#answer(() => this.#list(`/ask/registrations?${this.#filterQuery(filter)}`, AskRegistrations)),
      trunks: (of) =>
        this.#answer(() =>
          this.#list(`/ask/trunks?${query({ ...of, series: String(of.series ?? false) })}`, AskTrunks),
        ),
      security: () => this.#answer(() => this.#list('/ask/security', AskSecurity)),
      pulse: () => this.#newestPulse(),
      trouble: () => this.#link.trouble,
      close: () => {
        this.#watching.close();
        this.#requests.close();
      },
    };
  }

  /** Rejects with a refusal where the service cannot be reached, or does not answer this. */
  async #answer<T>(work: () => Promise<T>): Promise<T> {
    this.#link.refuseAll();
    try {
      const answer = await work();
      this.#link.regain();
      return answer;
    } catch (error) {
      throw error instanceof Refusal ? error : this.#link.refuse(connectionFailure(error));
    }
  }

  /** What may be refused for a reason of the call itself, which stands alone. */
  #ofCall<T>(kind: ConstructorParameters<typeof Cannot>[0], work: () => Promise<T>): Promise<T> {
    return this.#answer(async () => {
      try {
        return await work();
      } catch (error) {
        throw isOf(error, 'no') ? new Cannot(kind, error.message) : error;
      }
    });
  }

  #document<T extends TSchema>(path: string, shape: Named<T>, bounds = DOCUMENT): Promise<Static<T>> {
    return readDocument(this.#requests, path, shape, bounds);
  }

  async #list<T extends TSchema>(path: string, shape: Named<T>): Promise<Static<T>> {
    try {
      return await this.#document(path, shape, LIST);
    } catch (error) {
      throw isOf(error, 'gone') ? noAsk(this.#requests.path) : error;
    }
  }

  /** A report is written to files too, which a terminal shows later. */
  async #lines(path: string): Promise<string[]> {
    const { answer, body } = await this.#requests.read(path, { ...LIST, ms: FILE.ms });
    if (answer.headers['content-type']?.startsWith('text/') !== true) throw wrongShape();
    return body.toString('utf8').replace(/\n$/, '').split('\n').map(safeText);
  }

  #filterQuery(filter: Parameters<TerminalPort['findings']>[0]['filter']): string {
    return query({ q: filterText(filter, this.#isUtc, this.#pulse.nowUs) });
  }

  /** The newest one known; asks for a newer one where that is old. */
  #newestPulse(): Pulse {
    if (!this.#isAskingPulse && performance.now() - this.#pulseMs >= PULSE_EVERY_MS)
      faults.run('link', () => this.#askPulse());
    return this.#pulse;
  }

  async #askPulse(): Promise<void> {
    this.#isAskingPulse = true;
    try {
      this.#pulse = await readPulse(this.#requests);
      this.#link.regain();
    } catch (error) {
      const failure = connectionFailure(error);
      if (failure.kind !== 'busy') this.#link.lose(failure);
    } finally {
      this.#isAskingPulse = false;
      this.#pulseMs = performance.now();
    }
  }
}
