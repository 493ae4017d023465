/**
 * Replaces who and where in a session description (RFC 8866), line by line: users, names, addresses, keys, fingerprints and what
 * ICE shares with STUN. Media, ports, codecs and their parameters stay.
 */
import type { ReplacedCounts } from './counts.ts';
import { LineMemory } from './line-memory.ts';
import type { Stays, Tokens } from './tokens.ts';
import type { Values } from './values.ts';
import { FORMAT_PARAMETERS, SDP_ATTRIBUTES, SDP_WORDS } from './vocabulary.ts';

const NUMBERS: Stays = { words: SDP_WORDS, digits: 10 };
const SHORT: Stays = { words: SDP_WORDS, digits: 6 };
/** NTP seconds, and a range of time in them. */
const TIMES: Stays = { words: SDP_WORDS, digits: 12 };
const NAMES: Stays = { words: SDP_WORDS, digits: 5 };

const LINES = /[^\n]*(?:\n|$)/g;
const LINE = /^([a-z])(=)([^\r\n]*)([\r\n]*)$/i;
const ATTRIBUTE = /^([^:\s]{1,64})(:?)([\s\S]*)$/;
const ORIGIN = /^(\S+)(\s+)(\d{1,20})(\s+)(\d{1,20})(\s[\s\S]*)$/;
const CRYPTO = /(inline:\s*)([^|;\s]+)/gi;
const SECRET_LINE = /^(\s*(?:clear|base64|uri|prompt|[a-z0-9-]{1,8})\s*:?\s*)([\s\S]*)$/i;
const FMTP = /([A-Za-z0-9_-]{1,64})(\s{0,8}=\s{0,8})([^;\s]*)/g;
const SSRC_LINE = /^(\d{1,10})(\s+)([a-z-]{1,32})(:?)([\s\S]*)$/i;
const CANDIDATE = /^(\S{1,256})(\s+\d{1,3}\s+\S{1,16}\s+)([\s\S]*)$/;
const UFRAG = /(\sufrag\s+)(\S+)/i;
const FINGERPRINT = /^(\s*[A-Za-z0-9-]{1,16}\s+)([\s\S]*)$/;
/** A value of a parameter of a format that says how media is coded. */
const SHORT_VALUE = /^[0-9A-Fa-f,./-]{1,16}$/;
/** A version that counts on from the identifier of its session. */
const NEAR = 1_000_000n;

export class SdpText {
  readonly #tokens: Tokens;
  readonly #values: Values;

  readonly #known: LineMemory<string>;

  constructor(values: Values, counts: ReplacedCounts) {
    this.#known = new LineMemory(counts);
    this.#values = values;
    this.#tokens = values.tokens;
  }

  replace(text: string): string {
    let out = '';
    const read = (line: string): string => this.#line(line);
    for (const [line] of text.matchAll(LINES)) {
      if (line === '') break;
      out += this.#known.of(line, read);
    }
    return out;
  }

  #line(line: string): string {
    const [, type = '', equals = '', value = '', end = ''] = LINE.exec(line) ?? [];
    return type === '' ? this.#tokens.text(line) : type + equals + this.#value(type, value) + end;
  }

  #value(type: string, value: string): string {
    switch (type) {
      case 'v':
      case 'b':
      case 'm':
        return this.#tokens.text(value, type === 'b' ? NUMBERS : NAMES);
      case 't':
      case 'r':
      case 'z':
        return this.#tokens.text(value, TIMES);
      case 'c':
        return this.#connection(value);
      case 'o':
        return this.#origin(value);
      case 'k':
        return value.replace(SECRET_LINE, (_, method: string, key: string) => method + this.#tokens.secret(key));
      case 'a':
        return this.#attribute(value);
      default:
        return this.#values.uris(value);
    }
  }

  /** `IN IP4 <address>[/<ttl>][/<number>]` */
  #connection(value: string): string {
    return this.#tokens.text(value, { words: SDP_WORDS, digits: 3 });
  }

  /** `<user> <session> <version> IN IP4 <address>`: the version counts on from the session. */
  #origin(value: string): string {
    const found = ORIGIN.exec(value);
    if (found === null) return this.#tokens.text(value, { words: SDP_WORDS, digits: 1 });
    const [, user = '', first = '', session = '', second = '', version = '', rest = ''] = found;
    const other = this.#tokens.text(session);
    const address = this.#tokens.text(rest, { words: SDP_WORDS, digits: 0 });
    return this.#tokens.text(user) + first + other + second + versionOf(session, other, version) + address;
  }

  #attribute(text: string): string {
    const [, name = '', colon = '', value = ''] = ATTRIBUTE.exec(text) ?? [];
    if (name === '') return this.#tokens.text(text);
    const isKnown = SDP_ATTRIBUTES.has(name.toLowerCase());
    return (isKnown ? name : this.#tokens.text(name)) + colon + this.#attributeValue(name.toLowerCase(), value);
  }

  #attributeValue(name: string, value: string): string {
    switch (name) {
      case 'fmtp':
        return this.#format(value);
      case 'crypto':
        return this.#crypto(value);
      case 'fingerprint':
        return value.replace(FINGERPRINT, (_, start: string, print: string) => {
          return this.#tokens.text(start, NUMBERS) + this.#tokens.secret(print);
        });
      case 'ice-ufrag':
        return this.#tokens.fixed(value);
      case 'ice-pwd':
      case 'identity':
      case 'key-mgmt':
      case 'zrtp-hash':
      case 'tls-id':
        return this.#tokens.secret(value);
      case 'candidate':
      case 'remote-candidates':
        return this.#candidate(value);
      case 'ssrc':
        return this.#source(value);
      case 'rtpmap':
      case 'rtcp':
      case 'extmap':
      case 'mid':
      case 'group':
      case 'rid':
      case 'simulcast':
      case 'oldmediaip':
        return this.#tokens.text(value, SHORT);
      case 'ssrc-group':
        return this.#tokens.text(value, NUMBERS);
      case 'msid':
      case 'msid-semantic':
      case 'label':
      case 'cname':
      case 'path':
      case 'tool':
      case 'cat':
      case 'keywds':
      case 'file-selector':
      case 'confid':
      case 'userid':
      case 'x-google-flag':
        return this.#values.uris(value);
      default:
        return SDP_ATTRIBUTES.has(name) ? this.#tokens.text(value, SHORT) : this.#values.uris(value);
    }
  }

  /** Values stay of parameters that say how media is coded. */
  #format(value: string): string {
    let from = 0;
    let out = '';
    for (const found of value.matchAll(FMTP)) {
      const [all, name = '', equals = '', said = ''] = found;
      out += this.#tokens.text(value.slice(from, found.index), NAMES);
      const isPlain = FORMAT_PARAMETERS.has(name.toLowerCase()) && SHORT_VALUE.test(said);
      out += FORMAT_PARAMETERS.has(name.toLowerCase()) ? name : this.#tokens.text(name, NAMES);
      out += equals + (isPlain ? said : this.#tokens.text(said, NAMES));
      from = found.index + all.length;
    }
    return out + this.#tokens.text(value.slice(from), NAMES);
  }

  /** `<tag> <suite> inline:<key>[|<lifetime>][|<MKI>:<length>]`: a line without a suite has the key in its place. */
  #crypto(value: string): string {
    let from = 0;
    let out = '';
    for (const found of value.matchAll(CRYPTO)) {
      out += this.#tokens.text(value.slice(from, found.index), NAMES) + (found[1] ?? '');
      out += this.#tokens.secret(found[2] ?? '');
      from = found.index + found[0].length;
    }
    return out + this.#tokens.text(value.slice(from), NUMBERS);
  }

  /** The foundation is made of addresses by some; user fragments are those of STUN. */
  #candidate(value: string): string {
    const [, foundation = '', start = '', rest = ''] = CANDIDATE.exec(value) ?? [];
    if (foundation === '') return this.#tokens.text(value, NUMBERS);
    const [, before = '', ufrag = ''] = UFRAG.exec(rest) ?? [];
    const at = before === '' ? rest.length : rest.indexOf(before);
    const tail =
      before === ''
        ? ''
        : before +
          this.#tokens.fixed(ufrag) +
          this.#tokens.text(rest.slice(at + before.length + ufrag.length), NUMBERS);
    return (
      this.#tokens.text(foundation) +
      this.#tokens.text(start, NUMBERS) +
      this.#tokens.text(rest.slice(0, at), NUMBERS) +
      tail
    );
  }

  /** `<ssrc> cname:<name>`: RTCP has the name at the same length. */
  #source(value: string): string {
    const [, ssrc = '', blank = '', name = '', colon = '', text = ''] = SSRC_LINE.exec(value) ?? [];
    if (ssrc === '') return this.#tokens.text(value, NUMBERS);
    const isName = name.toLowerCase() === 'cname';
    const known = /^(?:cname|msid|mslabel|label|fmtp|previous-ssrc)$/i.test(name)
      ? name
      : this.#tokens.text(name, NUMBERS);
    return ssrc + blank + known + colon + (isName ? this.#tokens.fixed(text) : this.#tokens.text(text));
  }
}

/** As far from the replacement of its session as it was; what is far from it is a count or a time. */
function versionOf(session: string, other: string, version: string): string {
  const step = BigInt(version) - BigInt(session);
  if (step > NEAR || step < -NEAR) return version;
  const counted = BigInt(other) + step;
  return counted < 0n ? version : String(counted).padStart(version.length, '0');
}
