/** Whether the window has room for a table, or only for what matters most; style.css turns at the same width. */
import { useEffect, useState } from 'preact/hooks';

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
