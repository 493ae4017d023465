/**
 * How a call sounded over time: the windows of each stream, with a bar for the score.
 */
import type { AskQuality, StreamSegment } from '../../contract/index.ts';
import { paint, safeText } from '../../core/terminal-text.ts';
import { clockOf } from '../../view/clock.ts';
import type { TableStyle } from './call-table.ts';

/** A bar of this length is the highest score of narrowband speech. */
const BAR = 20;
const BEST = 4.5;
const WORST = 1;

export function* qualityLines({ streams }: AskQuality, { isUtc, color }: TableStyle): Generator<string> {
  if (streams.length === 0) yield 'No RTP stream belongs to this call.';
  for (const s of streams) {
    const mos = typeof s.mos === 'number' ? `MOS ${s.mos.toFixed(2)}` : 'no MOS';
    const codec = safeText(s.codec ?? `type ${s.payload_type}`);
    const loss = s.not_known === undefined ? `${s.loss_pct.toFixed(1)} % lost` : `loss ${s.not_known}`;
    const figures = `${mos}, ${loss}, jitter ${s.jitter_ms.toFixed(1)} ms`;
    yield paint(`${s.src} -> ${s.dst}  ${s.ssrc}  ${codec}  ${s.packets} packets, ${figures}`, 'bold', color);
    for (const g of s.segments ?? []) yield `  ${segmentLine(g, isUtc)}`;
    for (const one of s.spans ?? [])
      yield `  ${spanText(one, isUtc)}  ${one.kind === 'held' ? 'on hold' : 'dropped by this capture'}`;
    for (const w of s.quality_intervals) {
      const time = clockOf(Date.parse(w.timestamp) * 1000, isUtc).time.slice(0, 8);
      const score = typeof w.mos === 'number' ? w.mos : null;
      const length = score === null ? 0 : Math.round(((score - WORST) / (BEST - WORST)) * BAR);
      const bar = '#'.repeat(Math.max(0, length)).padEnd(BAR, '.');
      const shown = score === null ? '   -' : score.toFixed(2);
      const tint = score === null || score >= 3.6 ? null : score < 3.1 ? 'red' : 'yellow';
      const loss = `${w.loss_pct.toFixed(1).padStart(5)} %`;
      yield `  ${time}  ${paint(shown, tint, color)} [${paint(bar, tint, color)}]  lost ${loss}  jitter ${w.jitter_ms.toFixed(1).padStart(6)} ms`;
    }
    yield '';
  }
}

/** A row a window of a stream. */
export function qualityRows({ call_id, streams }: AskQuality): object[] {
  return streams.flatMap(({ ssrc, src, dst, codec, quality_intervals }) =>
    quality_intervals.map((window) => ({ call_id, ssrc, src, dst, codec, ...window })),
  );
}

function segmentLine(g: StreamSegment, isUtc: boolean): string {
  const codec = safeText(g.codec ?? `type ${g.payload_type}`);
  const mos = g.mos === undefined ? 'no MOS' : `MOS ${g.mos.toFixed(2)}`;
  const packet = g.packet_ms === undefined ? '' : `, ${g.packet_ms} ms each`;
  return `${spanText(g, isUtc)}  ${codec}  ${g.packets} packets${packet}, ${mos}, ${g.lost} lost, ${g.late} late, jitter ${g.jitter_ms.toFixed(1)} ms`;
}

function spanText({ from, to }: Pick<StreamSegment, 'from' | 'to'>, isUtc: boolean): string {
  const at = (text: string): string => clockOf(Date.parse(text) * 1000, isUtc).time.slice(0, 8);
  return `${at(from)} to ${at(to)}`;
}
