/** The window: the screen that it shows, how wide it is, and whether it has room for a table; style.css turns at the same widths. */
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

/** Pixels; a scroll bar is part of them. */
export function useWindowWidth(): number {
  const [width, setWidth] = useState(innerWidth);
  useEffect(() => {
    const changed = (): void => setWidth(innerWidth);
    addEventListener('resize', changed);
    return () => removeEventListener('resize', changed);
  }, []);
  return width;
}

/** Narrower windows have cards in place of rows; also in style.css. */
export const CARDS_PX = 600;

/** Pixels of a rem: what the browser's letters are set to. */
export function remPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** Shows another screen; `isInPlace`: the way back does not lead to the one before. */
export function go(screen: string, name = '', query: Readonly<Record<string, string>> = {}, isInPlace = false): void {
  const hash = hashOf(screen, name, query);
  if (isInPlace) location.replace(hash);
  else location.hash = hash;
}
