/** Makes a report of the VoIP metrics of RTCP XR (RFC 3611 section 4.7): rates are of 256, and figures that are unknown are absent. */
import type { VoipMetrics } from '../rtp/rtcp-xr.ts';
import type { HeardFigures, QualityReport } from './quality-report.ts';
import { reportOf, setFigure } from './quality-report.ts';

export function voipMetricsReport(m: VoipMetrics): QualityReport {
  const heard: HeardFigures = {};
  const percent = (rate: number): number => (rate / 256) * 100;
  setFigure(heard, 'lossPct', percent(m.lossRate));
  setFigure(heard, 'discardPct', percent(m.discardRate));
  setFigure(heard, 'burstLossPct', percent(m.burstDensity));
  setFigure(heard, 'gapLossPct', percent(m.gapDensity));
  setFigure(heard, 'burstMs', m.burstDurationMs);
  setFigure(heard, 'gapMs', m.gapDurationMs);
  setFigure(heard, 'roundTripMs', m.roundTripMs);
  setFigure(heard, 'endSystemDelayMs', m.endSystemDelayMs);
  setFigure(heard, 'rCq', m.rFactor ?? Number.NaN);
  setFigure(heard, 'mosLq', m.mosLq ?? Number.NaN);
  setFigure(heard, 'mosCq', m.mosCq ?? Number.NaN);
  setFigure(heard, 'bufferMs', m.jitterBufferMs);
  setFigure(heard, 'bufferMaxMs', m.jitterBufferMaxMs);
  return reportOf({ kind: 'xr', heard, remote: { address: '', port: 0, ssrc: m.ssrc } });
}
