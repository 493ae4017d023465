/** A document of the service in a component: absent while it comes, the refusal where it does not. */
import { useEffect, useState } from 'preact/hooks';
import type { AskQuality, AskStream, CallDocument } from '../../contract/index.ts';
import { ask } from './service.ts';

/** What takes long is asked less often: the service is to watch calls, not to count them again and again. */
export const SHARE = 20;

export type Fetched<T> = { readonly value?: T; readonly error?: string; readonly again: () => void };

/** The document at this path, asked again when the path changes, and every `everyMs` where it is given. */
export function useFetched<T>(path: string | null, everyMs = 0): Fetched<T> {
  const [state, setState] = useState<{ path: string | null; value?: T; error?: string }>({ path });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const gone = new AbortController();
    let timer = 0;
    const read = async (): Promise<void> => {
      const startMs = performance.now();
      try {
        const value = await ask<T>(path, gone.signal);
        if (!gone.signal.aborted) setState({ path, value });
      } catch (error) {
        if (gone.signal.aborted) return;
        setState((was) => ({ ...(was.path === path ? was : {}), path, error: whyOf(error) }));
      }
      if (everyMs > 0 && !gone.signal.aborted) {
        const pauseMs = Math.max(everyMs, (performance.now() - startMs) * SHARE);
        timer = window.setTimeout(() => void read(), pauseMs);
      }
    };
    void read();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [path, turn, everyMs]);
  const again = (): void => setTurn((n) => n + 1);
  // What came for another path is not the answer to this one.
  return state.path === path ? { ...state, again } : { again };
}

/** The streams of all hosts that heard the call, with their segments and holds: the document has neither. */
export function useStreams({ call_id: callId, streams }: CallDocument): readonly AskStream[] {
  const path = streams.length === 0 ? null : `ask/calls/${encodeURIComponent(callId)}/quality`;
  return useFetched<AskQuality>(path).value?.streams ?? streams;
}

export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
