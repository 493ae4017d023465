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
import { RemoteFailure } from '../../net/failures.ts';
import type { CallCapture } from '../captures.ts';
import type { StoreExplorer } from '../clickhouse/store-explorer.ts';
import type { Port } from '../port.ts';
import type { Refusal } from '../refusal.ts';
import { Away, Busy, Cannot, goneBy, ifHere, NotHere } from '../refusal.ts';
import { callPath, readAudio, readCapture, readDocument } from '../remote/answers.ts';
import type { Requests } from '../remote/requests.ts';
import { readShape } from '../remote/shapes.ts';
import { type Agents, whySentence } from './agents.ts';

const DOCUMENT = { bytes: AGENT_DOCUMENT_BYTES, values: AGENT_VALUES, ms: 2_000 };
const FILE_MS = 30_000;
/** A head, and the note in it, come on top of what the file may have. */
const AUDIO = { bytes: AUDIO_FILE_BYTES + 64 * 1024, ms: FILE_MS };
const CONTAINER = { bytes: REMOTE_LIST_BYTES, ms: FILE_MS };

type CallAnswers = Pick<Port, 'capture' | 'audio' | 'sipp' | 'lint' | 'vcon'>;
/** A call as its agent knows it. */
type Place = { readonly host: string; readonly callId: string };

export function callAnswers(agents: Agents, { partsOf }: Pick<StoreExplorer, 'partsOf'>): CallAnswers {
  const places = new Places(AGENT_FILES, AGENT_FILES_WAITING);
  // A capture that nobody reads keeps a question to its agent open.
  const relays = new Places(AGENT_CAPTURES, 0);

  const placeOf = async (callId: string): Promise<Place> => {
    const [first] = await partsOf(callId);
    if (first === undefined) throw new NotHere();
    return { host: first.host, callId: idAt(first.host, callId) };
  };
  /** The answer of the agent; `refuse` makes of the sentence why there is none what is thrown. */
  const ofCall = async <T>(
    callId: string,
    work: (requests: Requests, place: Place) => Promise<T>,
    refuse: (why: string, isGone: boolean) => Refusal,
  ): Promise<T> => {
    const place = await placeOf(callId);
    const { host } = place;
    try {
      return await agents.ask(host, (requests) => work(requests, place));
    } catch (error) {
      const isGone = error instanceof RemoteFailure && error.kind === 'gone';
      throw refuse(isGone ? await goneSentence(agents, host) : whySentence(host, error), isGone);
    }
  };
  const captureOf = async (first: string, legs: readonly string[]): Promise<CallCapture> => {
    const [here, elsewhere] = await legsAt(legs, placeOf, await placeOf(first));
    const capture = await ofCall(
      first,
      (requests, { callId }) => readCapture(requests, callPath([`id:${callId}`, ...here], 'capture'), FILE_MS),
      (why) => new Cannot('no-capture', why),
    );
    if (elsewhere.length === 0) return capture;
    const lack = [...(capture.lack === '' ? [] : [capture.lack]), `the legs on ${elsewhere.join(', ')}`].join(', ');
    return { ...capture, lack };
  };
  /** What holds the whole file in memory. */
  const heavily = async <T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> => {
    const made = await places.run(goneBy(signal), async () => ({ answer: await work() }));
    if (made === null) throw new Busy();
    return made.answer;
  };

  return {
    async capture(callIds, signal) {
      const [first, ...legs] = callIds.slice(0, MAX_LEGS_SHOWN);
      if (first === undefined) throw new NotHere();
      const leave = await relays.enter(goneBy(signal));
      if (leave === null) throw new Busy();
      try {
        const capture = await captureOf(first, legs);
        capture.file.once('close', leave);
        return capture;
      } catch (error) {
        leave();
        throw error;
      }
    },
    audio: (callId, signal, span) =>
      heavily(signal, () =>
        ofCall(
          callId,
          (requests, place) => readAudio(requests, `id:${place.callId}`, span, AUDIO),
          (why) => new Cannot('no-audio', why),
        ),
      ),
    sipp: (callId) =>
      ofCall(
        callId,
        async (requests, place) => {
          const path = callPath([`id:${place.callId}`], 'sipp');
          const { uac, uas, notes } = await readDocument(requests, path, AskSipp, { ...DOCUMENT, ms: FILE_MS });
          return { uac, uas, notes };
        },
        (why) => new Cannot('no-scenario', why),
      ),
    lint: (callId) =>
      ofCall(
        callId,
        (requests, place) => readDocument(requests, dialogPath(place.callId, 'lint'), LintResult, DOCUMENT),
        goneOrAway,
      ),
    vcon: (callId, signal) =>
      heavily(signal, () =>
        ofCall(
          callId,
          async (requests, place) => {
            const { body } = await requests.read(dialogPath(place.callId, 'vcon'), CONTAINER);
            readShape(Vcon, body.toString('utf8'), AGENT_VALUES);
            return { text: Readable.from([body], { objectMode: false }), keeps: body.length };
          },
          goneOrAway,
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

function goneOrAway(why: string, isGone: boolean): Refusal {
  return isGone ? new NotHere(why) : new Away('agent-away', why);
}

/** The legs that the agent of `first` adds itself, and the hosts of the others. */
async function legsAt(
  legs: readonly string[],
  placeOf: (callId: string) => Promise<Place>,
  { host }: Place,
): Promise<readonly [here: readonly string[], elsewhere: readonly string[]]> {
  const here: string[] = [];
  const elsewhere = new Set<string>();
  for (const leg of legs) {
    const place = await ifHere(() => placeOf(leg));
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
