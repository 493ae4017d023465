/** The answer behind the overview: asked again while somebody looks and more can come, and kept while another one comes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AskOverview, Stats } from '../../contract/index.ts';
import type { Fetched } from './asking.ts';
import { useFetched } from './asking.ts';

const EVERY_MS = 5_000;

export type Overviewed = Fetched<AskOverview> & {
  /** It is that of another span, until this one comes. */
  readonly isOld: boolean;
  /** Files are read to their end: nothing more comes. */
  readonly isEnded: boolean;
};

export function useOverview(path: string): Overviewed {
  const isVisible = useVisible();
  const isEnded = useEnd();
  const found = useFetched<AskOverview>(path, isVisible && !isEnded ? EVERY_MS : 0);
  const last = useRef<AskOverview | undefined>(undefined);
  const isOld = found.value === undefined;
  if (found.value !== undefined) last.current = found.value;
  return { ...found, value: last.current, isOld, isEnded };
}

/** Somebody may look at the page. */
function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const changed = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  }, []);
  return isVisible;
}

/** True when all files are read; of what is live it is asked once. */
function useEnd(): boolean {
  const [isDone, setDone] = useState(false);
  const { value } = useFetched<Stats>('ask/health', isDone ? 0 : EVERY_MS);
  const isEnded = value?.source === 'file' && value.source_exhausted;
  useEffect(() => setDone(value !== undefined && (isEnded || value.source !== 'file')), [value]);
  return isEnded;
}
