/** The evidence of a capture that was read from a file, as if its interface had dropped packets meanwhile. */
import type { Evidence } from '../../src/analysis/evidence.ts';
import type { DropSpan } from '../../src/store/media/drop-spans.ts';
import type { Capture, QualityContext } from '../../src/store/stores.ts';

/** `change` is what else a capture that still runs would say. */
export function withDrops(
  e: Evidence,
  spans: readonly DropSpan[],
  change: Partial<QualityContext> = {},
  source = 0,
): Evidence {
  const quality: QualityContext = {
    ...e.capture.quality,
    ...change,
    dropsOf: (asked) => (asked === source ? spans : []),
  };
  const capture = new Proxy(e.capture, {
    get: (target: Capture, key) => (key === 'quality' ? quality : Reflect.get(target, key, target)),
  });
  return { ...e, capture };
}
