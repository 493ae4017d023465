/**
 * Several windows as one: a score is that of five seconds, however wide the windows are that somebody wants to see, so
 * narrower ones are measured and put together for both.
 */
import type { NetCounts, StreamWindow } from './stream-window.ts';

/** Times are told to a fraction of a microsecond. */
const ROUNDING_US = 1;

/**
 * The windows of `widthUs`, counted from each of `anchorsUs` on: there the stream began, or changed its payload type, and a
 * window that runs then ends early. Windows that are as wide already are left as they are.
 */
export function widerWindows(
  windows: readonly StreamWindow[],
  widthUs: number,
  anchorsUs: readonly number[],
): readonly StreamWindow[] {
  if (windows.every((w) => w.lengthUs > widthUs / 2)) return windows;
  const made: StreamWindow[] = [];
  let group: StreamWindow[] = [];
  let startUs = Number.NaN;
  for (const w of windows) {
    const at = groupStart(w.startUs, widthUs, anchorsUs);
    if (at !== startUs) {
      if (group.length > 0) made.push(together(group, startUs, endOf(startUs, widthUs, anchorsUs)));
      group = [];
      startUs = at;
    }
    group.push(w);
  }
  if (group.length > 0) made.push(together(group, startUs, endOf(startUs, widthUs, anchorsUs)));
  return made;
}

function groupStart(atUs: number, widthUs: number, anchorsUs: readonly number[]): number {
  const anchorUs = anchorsUs.findLast((us) => us <= atUs + ROUNDING_US) ?? atUs;
  return anchorUs + Math.floor((atUs - anchorUs + ROUNDING_US) / widthUs) * widthUs;
}

function endOf(startUs: number, widthUs: number, anchorsUs: readonly number[]): number {
  const next = anchorsUs.find((us) => us > startUs + ROUNDING_US) ?? Number.POSITIVE_INFINITY;
  return Math.min(startUs + widthUs, next);
}

function together(group: readonly StreamWindow[], startUs: number, endUs: number): StreamWindow {
  const sum = (of: (w: StreamWindow) => number): number => group.reduce((all, w) => all + of(w), 0);
  // A run of losses that goes on in the next window is one.
  const goesOn = group.slice(1).filter((w) => w.isAmid).length;
  const net = {
    expected: sum((w) => w.net.expected),
    lost: sum((w) => w.net.lost),
    lossRuns: sum((w) => w.net.lossRuns) - goesOn,
  };
  const jitterSamples = sum((w) => w.jitterSamples);
  // What is known of the type and its clock is what was known last.
  const last = group.findLast((w) => w.packets > 0) ?? group.at(-1);
  const lanes = (last?.jitterMs ?? []).map((_, lane) => lane);
  return {
    startUs,
    lengthUs: endUs - startUs,
    packets: sum((w) => w.packets),
    ...shownCounts(net),
    net,
    isAmid: group[0]?.isAmid ?? false,
    duplicates: sum((w) => w.duplicates),
    reordered: sum((w) => w.reordered),
    lateIn: (last?.lateIn ?? []).map((_, lane) => sum((w) => w.lateIn[lane] ?? 0)),
    jitterMs: lanes.map((lane) =>
      jitterSamples === 0 ? 0 : sum((w) => (w.jitterMs[lane] ?? 0) * w.jitterSamples) / jitterSamples,
    ),
    jitterSamples,
    payloadType: last?.payloadType ?? 0,
    tsStep: last?.tsStep ?? 0,
    laneMode: last?.laneMode ?? 0,
    otherClock: last?.otherClock ?? 0,
    clock: last?.clock ?? 0,
  };
}

/** None is shown with less than nothing. */
function shownCounts({ expected, lost, lossRuns }: NetCounts): NetCounts {
  return { expected: Math.max(0, expected), lost: Math.max(0, lost), lossRuns: Math.max(0, lossRuns) };
}
