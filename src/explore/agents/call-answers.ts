/**
 * What the agent alone has of a call: its capture, audio, scenarios, lint and container. It is asked of the agent of the part that
 * saw the first INVITE, or of the host that the Call-ID names.
 */
import { Readable } from 'node:stream';
import { AskSipp, LintResult, Vcon } from '../../contract/index.ts';
import { AUDIO_FILE_BYTES } from '../../core/answer-limits.ts';
import {
  AGENT_CAPTURES,
  AGENT_DOCUMENT_BYTES,
  AGENT_FILES,
  AGENT_FILES_WAITING,
  AGENT_VALUES,
} from '../../core/hub-limits.ts';
import { MAX_LEGS_SHOWN, REMOTE_LIST_BYTES } from '../../core/item-limits.ts';
import { Places } from '../../core/places.ts';
import { isNeverGone } from '../../core/turns.ts';
import type { SippPair } from '../../export/sipp.ts';
import type { StoreExplorer } from '../clickhouse/store-explorer.ts';
import type { Found, IsGone } from '../found.ts';
import { Unanswered } from '../found.ts';
import { callPath, readAudio, readCapture, readDocument } from '../remote/answers.ts';
import { RemoteFailure } from '../remote/failures.ts';
import type { Requests } from '../remote/requests.ts';
import { readShape } from '../remote/shapes.ts';
import type { ServePort } from '../serve-port.ts';
import { type Agents, whySentence } from './agents.ts';

const DOCUMENT = { bytes: AGENT_DOCUMENT_BYTES, values: AGENT_VALUES, ms: 2_000 };
const FILE_MS = 30_000;
/** A head, and the note in it, come on top of what the file may have. */
const AUDIO = { bytes: AUDIO_FILE_BYTES + 64 * 1024, ms: FILE_MS };
const CONTAINER = { bytes: REMOTE_LIST_BYTES, ms: FILE_MS };

type CallAnswers = Pick<ServePort, 'capture' | 'audio' | 'sipp' | 'lint' | 'vcon'>;
/** A call as its agent knows it. */
type Place = { readonly host: string; readonly callId: string };

export function callAnswers(agents: Agents, { partsOf }: Pick<StoreExplorer, 'partsOf'>): CallAnswers {
  const places = new Places(AGENT_FILES, AGENT_FILES_WAITING);
  // A capture that nobody reads keeps a question to its agent open.
  const relays = new Places(AGENT_CAPTURES, 0);

  const placeOf = async (callId: string): Promise<Found<Place> | null> => {
    const parts = await partsOf(callId);
    if (parts === null) return null;
    const [first] = parts;
    return { document: first === undefined ? null : { host: first.host, callId: idAt(first.host, callId) } };
  };
  /** The answer of the agent; `instead` makes one of the sentence that says why there is none. */
  const ofCall = async <T>(
    callId: string,
    work: (requests: Requests, place: Place) => Promise<T>,
    instead: (why: string, isGone: boolean) => T,
  ): Promise<Found<T> | null> => {
    const found = await placeOf(callId);
    if (found === null || found.document === null) return found && { document: null };
    const place = found.document;
    const { host } = place;
    try {
      return { document: await agents.ask(host, (requests) => work(requests, place)) };
    } catch (error) {
      const isGone = error instanceof RemoteFailure && error.kind === 'gone';
      const why = isGone ? await goneSentence(agents, host) : whySentence(host, error);
      return { document: instead(why, isGone) };
    }
  };
  const captureOf = async (first: string, legs: readonly string[]): ReturnType<CallAnswers['capture']> => {
    const [here, elsewhere] = await legsAt(legs, placeOf, await placeOf(first));
    const found = await ofCall(
      first,
      (requests, { callId }) => readCapture(requests, callPath([`id:${callId}`, ...here], 'capture'), FILE_MS),
      asReason,
    );
    const capture = found?.document ?? null;
    if (capture === null || 'reason' in capture || elsewhere.length === 0) return found;
    const lack = [...(capture.lack === '' ? [] : [capture.lack]), `the legs on ${elsewhere.join(', ')}`].join(', ');
    return { document: { ...capture, lack } };
  };
  /** What holds the whole file in memory. */
  const heavily = <T>(isGone: IsGone, work: () => Promise<T | null>): Promise<T | null> => places.run(isGone, work);

  return {
    async capture(callIds, isGone = isNeverGone) {
      const [first, ...legs] = callIds.slice(0, MAX_LEGS_SHOWN);
      if (first === undefined) return { document: null };
      const leave = await relays.enter(isGone);
      if (leave === null) return null;
      try {
        const found = await captureOf(first, legs);
        const capture = found?.document ?? null;
        if (capture === null || 'reason' in capture) leave();
        else capture.file.once('close', leave);
        return found;
      } catch (error) {
        leave();
        throw error;
      }
    },
    audio: (callId, isGone = isNeverGone, span = undefined) =>
      heavily(isGone, () =>
        ofCall(callId, (requests, place) => readAudio(requests, `id:${place.callId}`, span, AUDIO), asReason),
      ),
    sipp: (callId) =>
      ofCall<SippPair | { readonly reason: string }>(
        callId,
        async (requests, place) => {
          const path = callPath([`id:${place.callId}`], 'sipp');
          const { uac, uas, notes } = await readDocument(requests, path, AskSipp, { ...DOCUMENT, ms: FILE_MS });
          return { uac, uas, notes };
        },
        asReason,
      ),
    lint: (callId) =>
      ofCall(
        callId,
        (requests, place) => readDocument(requests, dialogPath(place.callId, 'lint'), LintResult, DOCUMENT),
        refuse,
      ),
    vcon: (callId, isGone = isNeverGone) =>
      heavily(isGone, () =>
        ofCall(
          callId,
          async (requests, place) => {
            const { body } = await requests.read(dialogPath(place.callId, 'vcon'), CONTAINER);
            readShape(Vcon, body.toString('utf8'), AGENT_VALUES);
            return { text: Readable.from([body], { objectMode: false }), keeps: body.length };
          },
          refuse,
        ),
      ),
  };
}

/** `host:NAME:CALLID` names the part of one host. */
function idAt(host: string, callId: string): string {
  const prefix = `host:${host}:`;
  return callId.startsWith(prefix) ? callId.slice(prefix.length) : callId;
}

function dialogPath(callId: string, part: string): string {
  return `/v1/dialogs/${encodeURIComponent(callId)}/${part}`;
}

function asReason(reason: string): { readonly reason: string } {
  return { reason };
}

function refuse(why: string, isGone: boolean): never {
  throw new Unanswered(isGone ? 'not-found' : 'agent-away', why);
}

/** The legs that the agent of `first` adds itself, and the hosts of the others. */
async function legsAt(
  legs: readonly string[],
  placeOf: (callId: string) => Promise<Found<Place> | null>,
  first: Found<Place> | null,
): Promise<readonly [here: readonly string[], elsewhere: readonly string[]]> {
  const host = first?.document?.host;
  const here: string[] = [];
  const elsewhere = new Set<string>();
  for (const leg of legs) {
    const place = (await placeOf(leg))?.document ?? null;
    if (place === null) continue;
    if (place.host === host) here.push(place.callId);
    else elsewhere.add(place.host);
  }
  return [here, [...elsewhere]];
}

/** It answers, but not this: the call has left its memory, or it does not serve /ask. */
async function goneSentence(agents: Agents, host: string): Promise<string> {
  const isServed = await agents
    .ask(host, (requests) => requests.read('/ask/pulse', DOCUMENT))
    .then(
      () => true,
      (error: unknown) => !(error instanceof RemoteFailure && error.kind === 'gone'),
    );
  return isServed
    ? `${host}: its agent does not keep this call any more.`
    : `${host}: its agent does not serve /ask; add "ask = true" below [api] in its configuration, and restart it.`;
}
