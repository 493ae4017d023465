/**
 * What the live sources counted, in their own words: what the kernel's filter let through or dropped, what rings and
 * queues lost, and what became of every HEP packet. A source that does not run has no samples.
 */

import type { HepSenderName } from '../../sources/hep/hep-clock.ts';
import { HEP_REFUSALS } from '../../sources/hep/refusals.ts';
import type { Figures } from '../figures.ts';
import { snake } from '../loss-row.ts';
import type { LabelledCount, MetricFamily } from './family.ts';
import { countsOf, familyOf, numberOf } from './family.ts';

/** HEP senders whose refusals are shown one by one; all of them are counted by reason. */
const SENDERS_SHOWN = 10;
/** And whose clocks are. */
const CLOCKS_SHOWN = 50;

/** HEP packets by what became of them: the receiving thread's counts, then what reading them gave. */
function hepEvents({ listener, ingest: { hep } }: Figures): LabelledCount[] {
  const received: LabelledCount[] =
    listener === null ? [] : listener.counts().map(([name, n]) => [`received_${name}`, n]);
  return [
    ...received,
    ['read', hep.packets],
    ['own', hep.own],
    ['keep_alive', hep.keepAlives],
    ['other_type', hep.otherTypes],
    ['other_time', hep.ofOtherTimes],
    ['piece', hep.flows.pieces],
    ['piece_again', hep.flows.copies],
    ['rtcp_bad_json', hep.badJson],
    ['inflations', hep.door.inflater.inflations],
    ['inflated_bytes', hep.door.inflater.inflatedBytes],
    ...HEP_REFUSALS.map((reason) => [`refused_${reason}`, hep.refusals.get(reason)] as const),
  ];
}

export function liveFamilies(f: Figures): MetricFamily[] {
  const { live, listener } = f;
  const { media } = f.ingest;
  const reader: LabelledCount[] =
    live === null
      ? []
      : [
          ...live.info.liveCounterNames.map((name) => [name, live.liveCounter(name)] as const),
          ['queue_dropped', live.liveLosses().queue],
        ];
  const classes: LabelledCount[] = live?.filter().classes.map((c) => [c.name, c.packets] as const) ?? [];
  return [
    countsOf('calltap_live_total', reader),
    countsOf('calltap_filter_packets_total', classes),
    countsOf('calltap_hep_total', hepEvents(f)),
    countsOf(
      'calltap_hep_tcp_total',
      Object.entries(listener?.tcp.counts ?? {}).map(([name, n]) => [snake(name), n] as const),
    ),
    interfaces(f),
    refusedSenders(f),
    senderClocks(f),
    numberOf('calltap_filter_media_endpoints', media?.size ?? 0),
    countsOf('calltap_filter_media_refused_total', [['media', media?.refused ?? 0]]),
  ];
}

/** The same counts as calltap_live_total, one interface apart from the other. */
function interfaces({ live }: Figures): MetricFamily {
  const samples =
    live?.interfaces.flatMap((name, i) =>
      live.info.liveCounterNames.map((event) => ({
        labels: [name, event] as const,
        value: live.liveCounter(event, i),
      })),
    ) ?? [];
  return familyOf('calltap_interface_total', samples);
}

/** A sender that replays a capture beside may have more than one clock. */
function senderClocks({ ingest: { clocks } }: Figures): MetricFamily {
  const offsets = new Map<HepSenderName, number>();
  for (const { sender, offsetUs } of clocks.known()) {
    if (!offsets.has(sender)) offsets.set(sender, offsetUs / 1e6);
    if (offsets.size === CLOCKS_SHOWN) break;
  }
  const samples = [...offsets].map(([{ address, agentId }, value]) => ({
    labels: [address, String(agentId)] as const,
    value,
  }));
  return familyOf('calltap_hep_clock_offset_seconds', samples);
}

function refusedSenders({ listener, ingest: { hep } }: Figures): MetricFamily {
  const senders = [
    ...(listener?.topSenders(SENDERS_SHOWN) ?? []).map(({ sender, counts }) => [sender, counts] as const),
    ...hep.refusals.top(SENDERS_SHOWN).map(({ sender, reasons }) => [sender, reasons] as const),
  ];
  const samples = senders.flatMap(([sender, reasons]) =>
    Object.entries(reasons)
      .filter(([reason, value]) => reason !== 'taken' && value > 0)
      .map(([reason, value]) => ({ labels: [sender, reason] as const, value })),
  );
  return familyOf('calltap_hep_sender_refused_total', samples);
}
