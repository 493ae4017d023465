/** Keys of a screen. They work wherever the focus is, except where the focus itself has a use for the key. */
import { useLayoutEffect, useRef } from 'preact/hooks';

const TYPED_IN = 'input:not([type="checkbox"]), textarea, select, audio';
const PRESSED = 'a, button, summary, input';
/** These scroll by keys of their own. */
const SCROLLED = '[role="region"], .message';
const PRESSES: readonly string[] = ['Enter', ' '];
const SCROLLS: readonly string[] = [' ', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];

/** `onKey` says whether the key was one of its own. */
export function usePageKeys(onKey: (key: string) => boolean): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  // They work as soon as the screen is there: whoever presses at once is heard.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

function isTaken({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  const isIn = (selector: string): boolean => target.closest(selector) !== null;
  return isIn(TYPED_IN) || (PRESSES.includes(key) && isIn(PRESSED)) || (SCROLLS.includes(key) && isIn(SCROLLED));
}
