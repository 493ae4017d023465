/** Shows why a question was refused; the screen stays as it was. */
import type { Answer } from '../../explore/refusal.ts';
import { NotHere, whyRefused } from '../../explore/refusal.ts';

/** Of a question about one call. */
const GONE = 'the call is not here any more';

/** The sentence of a refusal; a fault is thrown on. `gone` stands for a call that left. */
export function whyMissing(error: unknown, gone = GONE): string {
  return error instanceof NotHere ? gone : whyRefused(error);
}

/** The answer; null where `say` was told why there is none. */
export async function answerOr<T>(
  asked: () => Answer<T>,
  say: (why: string) => void,
  gone = GONE,
): Promise<Awaited<T> | null> {
  try {
    return await asked();
  } catch (error) {
    say(whyMissing(error, gone));
    return null;
  }
}
