/**
 * Calls as they change: the server-sent events of `/ask/changes` (WHATWG HTML section 9.2), read by `fetch`, because the
 * browser's own reader of them can send no key. A stream that ends is opened again.
 */
import type { DialogSummary } from '../../contract/index.ts';
import { fetchFrom, sleep } from './service.ts';

export type Live = 'live' | 'waiting';

type Listener = {
  /** A call is new or has changed: what the dialog says of it, without findings and scores. */
  readonly change: (call: DialogSummary) => void;
  /** Something was missed: the list is to be read again. */
  readonly resync: () => void;
  readonly state: (is: Live) => void;
};

const AGAIN_MS = 2_000;
/** One event is a row of the list; a stream that gives none for so many characters is none of ours. */
const EVENT_CHARS = 1_000_000;

/** Reads until the signal comes. */
export async function followChanges(listener: Listener, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = await fetchFrom('ask/changes', signal);
      if (body !== null) await readEvents(body, listener);
    } catch {
      // Refused, cut off or ended: the next try says so too.
    }
    if (signal.aborted) return;
    listener.state('waiting');
    await sleep(AGAIN_MS, signal).catch(() => undefined);
  }
}

async function readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, listener: Listener): Promise<void> {
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    if (text.length > EVENT_CHARS) return;
    listener.state('live');
    for (const event of events) handle(event, listener);
  }
}

function handle(event: string, listener: Listener): void {
  const field = (name: string): string | undefined =>
    event
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const kind = field('event');
  if (kind === 'resync') listener.resync();
  if (kind === 'change') listener.change(JSON.parse(field('data') ?? '{}') as DialogSummary);
}
