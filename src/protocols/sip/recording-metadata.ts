/**
 * Recording metadata of SIPREC (RFC 7865, application/rs-metadata+xml): sessions, participants and streams.
 *
 * A scan for the few elements that are asked for, not an XML parser: no entities beyond the five of XML, no document
 * type, linear in the text, with caps on what is taken.
 */

/** Characters of SIPREC metadata, its items, and characters of each value. @cap */
const MAX_RECORDING_CHARS = 65_536;
const MAX_RECORDING_ITEMS = 64;
const MAX_RECORDING_VALUE = 512;

export type RecordingMetadata = {
  readonly dataMode: string | null;
  readonly sessions: readonly { readonly id: string; readonly sipSessionIds: readonly string[] }[];
  readonly participants: readonly { readonly id: string; readonly aor: string | null; readonly name: string | null }[];
  readonly streams: readonly {
    readonly id: string;
    readonly sessionId: string | null;
    readonly label: string | null;
  }[];
};

type Element = { readonly name: string; readonly attributes: string; readonly isEnd: boolean; readonly textAt: number };

/** Null when the text holds no recording element. */
export function parseRecordingMetadata(text: string): RecordingMetadata | null {
  const xml = text.slice(0, MAX_RECORDING_CHARS);
  const sessions: { id: string; sipSessionIds: string[] }[] = [];
  const participants: { id: string; aor: string | null; name: string | null }[] = [];
  const streams: { id: string; sessionId: string | null; label: string | null }[] = [];
  let dataMode: string | null = null;
  let isRecording = false;
  let inside = '';
  for (const e of elements(xml)) {
    if (e.isEnd) {
      if (e.name === inside) inside = '';
      continue;
    }
    switch (e.name) {
      case 'recording':
        isRecording = true;
        break;
      case 'datamode':
        dataMode = textOf(xml, e);
        break;
      case 'session':
        inside = e.name;
        push(sessions, { id: attribute(e, 'session_id') ?? '', sipSessionIds: [] });
        break;
      case 'sipSessionID':
        if (inside === 'session') push(sessions.at(-1)?.sipSessionIds ?? [], textOf(xml, e));
        break;
      case 'participant':
        inside = e.name;
        push(participants, { id: attribute(e, 'participant_id') ?? '', aor: null, name: null });
        break;
      case 'nameID': {
        const last = participants.at(-1);
        if (inside === 'participant' && last !== undefined) last.aor ??= attribute(e, 'aor');
        break;
      }
      case 'name': {
        const last = participants.at(-1);
        if (inside === 'participant' && last !== undefined) last.name ??= textOf(xml, e);
        break;
      }
      case 'stream':
        inside = e.name;
        push(streams, { id: attribute(e, 'stream_id') ?? '', sessionId: attribute(e, 'session_id'), label: null });
        break;
      case 'label': {
        const last = streams.at(-1);
        if (inside === 'stream' && last !== undefined) last.label ??= textOf(xml, e);
        break;
      }
      default:
        break;
    }
  }
  return isRecording ? { dataMode, sessions, participants, streams } : null;
}

function push<T>(list: T[], value: T): void {
  if (list.length < MAX_RECORDING_ITEMS) list.push(value);
}

/** Start and end tags in order, names without their prefix. Comments, instructions and what never closes are skipped. */
function* elements(xml: string): Generator<Element> {
  let p = xml.indexOf('<');
  while (p >= 0) {
    if (xml.startsWith('<!--', p)) {
      const end = xml.indexOf('-->', p + 4);
      if (end < 0) return;
      p = xml.indexOf('<', end);
      continue;
    }
    const end = xml.indexOf('>', p);
    if (end < 0) return;
    const isEnd = xml.charAt(p + 1) === '/';
    const tag = xml.slice(p + (isEnd ? 2 : 1), end);
    const name = /^[\w.:-]{1,64}/.exec(tag)?.[0];
    if (name !== undefined)
      yield { name: name.slice(name.indexOf(':') + 1), attributes: tag.slice(name.length), isEnd, textAt: end + 1 };
    p = xml.indexOf('<', end);
  }
}

function attribute(e: Element, name: string): string | null {
  for (const m of e.attributes.matchAll(/([\w.:-]{1,64})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/g))
    if (m[1] === name) return unescapeXml(m[2] ?? m[3] ?? '');
  return null;
}

function textOf(xml: string, e: Element): string {
  const end = xml.indexOf('<', e.textAt);
  return unescapeXml(xml.slice(e.textAt, end < 0 ? xml.length : end).trim());
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text
    .slice(0, MAX_RECORDING_VALUE)
    .replace(/&(lt|gt|amp|quot|apos);/g, (all, name: string) => ENTITIES[name] ?? all);
}
