/** Opens a HEP listener and begins to read at once, as a test wants it; nothing stays open when one of the two fails. */
import { HepListener, type HepListenerOptions } from '../../src/sources/hep/listener.ts';

export async function startHepListener(options: HepListenerOptions): Promise<HepListener> {
  const listener = await HepListener.open(options);
  try {
    listener.begin();
  } catch (error) {
    await listener.close();
    throw error;
  }
  return listener;
}
