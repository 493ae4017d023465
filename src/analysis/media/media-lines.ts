/**
 * Every m= line of a call's descriptions, and what became of it: added, refused or removed by port 0, moved, turned
 * (RFC 3264 sections 6 and 8).
 */
import type { LINE_CHANGES } from '../../core/words.ts';
import type { SdpEntry, SdpMediaLine } from '../../store/media/sdp-timeline.ts';

export type LineChange = (typeof LINE_CHANGES)[number];

/** Line `index` of entry `exchange` of the timeline. */
export type LineOf = {
  readonly exchange: number;
  readonly index: number;
  readonly line: SdpMediaLine;
  readonly change: LineChange | null;
};

/** In the order of the descriptions, and of the lines in each. */
export function* mediaLines(entries: readonly SdpEntry[]): Generator<LineOf> {
  for (const [exchange, entry] of entries.entries()) {
    const others = Others.of(entries, exchange);
    for (const [index, line] of entry.media.entries())
      yield { exchange, index, line, change: changeOf(entry, index, line, others) };
  }
}

/** The line is refused, or its media is over. A line of a BUNDLE has the port of its group. */
export function isOff({ port }: SdpMediaLine): boolean {
  return port === 0;
}

/** One audio line says no more than the timeline does. */
export function isOneAudio({ media }: SdpEntry): boolean {
  return media.length === 1 && media[0]?.type === 'audio';
}

/** What an entry is compared with. */
class Others {
  /** What its side said last: as the same sender sent it, and whoever did. */
  own: SdpEntry | null = null;
  last: SdpEntry | null = null;
  /** Of an answer what it answers. */
  offer: SdpEntry | null = null;

  static of(entries: readonly SdpEntry[], at: number): Others {
    const found = new Others();
    const entry = entries[at];
    for (let i = at - 1; entry !== undefined && i >= 0; i--) {
      const other = entries[i];
      if (other === undefined) continue;
      if (other.side !== entry.side) {
        if (!entry.isOffer && other.isOffer) found.offer ??= other;
      } else if (!other.isRefused) {
        found.last ??= other;
        if (other.sender === entry.sender) found.own ??= other;
      }
      if (found.own !== null && (entry.isOffer || found.offer !== null)) break;
    }
    return found;
  }
}

function changeOf(entry: SdpEntry, index: number, line: SdpMediaLine, others: Others): LineChange | null {
  const before = others.own ?? others.last;
  const last = before?.media[index];
  const wasOn = last !== undefined && !isOff(last);
  if (isOff(line)) {
    const offered = others.offer?.media[index];
    if (offered !== undefined && !isOff(offered)) return 'refused';
    return wasOn ? 'removed' : null;
  }
  // Of a re-INVITE that was refused nothing holds.
  if (before !== null && !wasOn) return entry.isRefused ? 'refused' : 'added';
  if (last === undefined || others.own === null || entry.isRefused) return null;
  if (last.mode !== line.mode) return 'mode_change';
  if (last.address !== line.address || last.port !== line.port) return 'media_anchor_change';
  return last.codecs.names[0] === line.codecs.names[0] ? null : 'codec_change';
}
