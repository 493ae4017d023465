/** The window: the screen that it shows, and whether it has room for a table; style.css turns at the same width. */
import { useEffect, useState } from 'preact/hooks';
import { hashOf } from './route.ts';

const WIDE = '(min-width: 700px)';

export function useWideWindow(): boolean {
  const [isWide, setWide] = useState(matchMedia(WIDE).matches);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const changed = (): void => setWide(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  return isWide;
}

/** Shows another screen; `isInPlace`: the way back does not lead to the one before. */
export function go(screen: string, name = '', query: Readonly<Record<string, string>> = {}, isInPlace = false): void {
  const hash = hashOf(screen, name, query);
  if (isInPlace) location.replace(hash);
  else location.hash = hash;
}
