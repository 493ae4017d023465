/**
 * Asks the service. The key is kept in memory, in the tab's session storage only where the user asks for that, and goes out
 * in one header; it is never part of an address, a message or an error.
 */
import type { Problem } from '../../contract/index.ts';

/** Above `/console/`, also where a proxy put the service below a path. */
const BASE = '../';
const STORED = 'calltap-key';
/** The service says for how long it is busy; a file that is being read makes it so. */
const TRIES = 6;
const BUSY_MS = 1_000;

/** A refusal in the words of the service. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

let key = sessionStorage.getItem(STORED) ?? '';
let onKeyNeeded: (why: string) => void = () => undefined;

/** `then` is told when an answer needs a key, with what the service said of the one it had. */
export function whenKeyNeeded(then: (why: string) => void): void {
  onKeyNeeded = then;
}

/** Takes a key for all that follows; an empty one forgets it. */
export function useKey(given: string, isKept: boolean): void {
  key = given;
  if (isKept && given !== '') sessionStorage.setItem(STORED, given);
  else sessionStorage.removeItem(STORED);
}

export function hasKey(): boolean {
  return key !== '';
}

/** The answer to a GET or, with a body, a POST. Throws Refused. */
export async function fetchFrom(path: string, signal?: AbortSignal, body?: object): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(BASE + path, {
      cache: 'no-store',
      credentials: 'omit',
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      throw new Refused(0, 'The service does not answer. Is it running? The page tries again when you reload it.');
    });
    if (response.ok) return response;
    if (response.status === 503 && body === undefined && tries < TRIES) {
      await sleep(BUSY_MS, signal);
      continue;
    }
    const text = await problemText(response);
    if (response.status === 401) onKeyNeeded(key === '' ? '' : text);
    throw new Refused(response.status, text);
  }
}

/** The document of a GET. Throws Refused. */
export async function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  // Its shape is that of the route in the contract.
  return (await (await fetchFrom(path, signal)).json()) as T;
}

/** The document of a POST. Throws Refused. */
export async function tell<T>(path: string, body: object): Promise<T> {
  return (await (await fetchFrom(path, undefined, body)).json()) as T;
}

/** The path of a call below `/ask/calls` or `/v1/dialogs`. */
export function ofCall(callId: string, rest = ''): string {
  return `ask/calls/${encodeURIComponent(`id:${callId}`)}${rest}`;
}

/** Resolves after a time; rejects when the signal comes first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

async function problemText(response: Response): Promise<string> {
  try {
    const { title, detail } = (await response.json()) as Partial<Problem>;
    return detail ?? title ?? `The service answered ${response.status}.`;
  } catch {
    return `The service answered ${response.status}.`;
  }
}
