/**
 * What the live sources counted, in their own words: what the kernel's filter let through or dropped, what rings and
 * queues lost, and what became of every HEP packet. A source that does not run has no samples.
 */
import type { MetricFamily } from '../metrics/snapshot.ts';
import { HEP_REFUSALS } from '../sources/hep-refusals.ts';
import type { CaptureSession } from './capture-session.ts';

type Sample = readonly [label: string, value: number];

function counter(name: string, help: string, label: string, samples: readonly Sample[]): MetricFamily {
  return {
    name,
    help,
    type: 'counter',
    labelNames: [label],
    samples: samples.map(([text, value]) => ({ labels: { [label]: text }, value })),
  };
}

/** HEP packets by what became of them: the receiving thread's counts, then what reading them gave. */
export function hepEvents({ listener, hep }: CaptureSession): Sample[] {
  const received: Sample[] = listener === null ? [] : listener.counts().map(([name, n]) => [`received_${name}`, n]);
  return [
    ...received,
    ['read', hep.packets],
    ['own', hep.own],
    ['keep_alive', hep.keepAlives],
    ['other_type', hep.otherTypes],
    ['rtcp_bad_json', hep.badJson],
    ...HEP_REFUSALS.map((reason) => [`refused_${reason}`, hep.refusals.get(reason)] as const),
  ];
}

export function liveFamilies(session: CaptureSession): MetricFamily[] {
  const { live } = session;
  const reader: Sample[] =
    live === null
      ? []
      : [
          ...live.info.liveCounterNames.map((name) => [name, live.liveCounter(name)] as const),
          ['queue_dropped', live.liveLosses().queue],
        ];
  const classes: Sample[] = live?.filter().classes.map((c) => [c.name, c.packets] as const) ?? [];
  return [
    counter('calltap_live_total', 'What the reader of the interfaces saw and lost.', 'event', reader),
    counter('calltap_filter_packets_total', 'Packets by what the filter in the kernel made of them.', 'class', classes),
    counter('calltap_hep_total', 'HEP packets by what became of them.', 'event', hepEvents(session)),
  ];
}
