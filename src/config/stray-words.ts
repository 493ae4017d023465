/**
 * A word without an option is a capture. Where no file has its name it may be an interface, a filter of tcpdump, a number to look
 * for or a command of another program: this says what to write then.
 */
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { DIALOG_STATES, METHOD_NAMES } from '../core/words.ts';
import { foreignCommand, shellWord } from './foreign.ts';

/** What stands around the word. */
export type Around = {
  /** This word and those after it, none of which an option takes. */
  readonly words: readonly string[];
  /** The argument before it. */
  readonly before: string;
  readonly isFirst: boolean;
};

/** By what a filter of tcpdump begins (pcap-filter(7)). */
const EXPRESSION =
  /^(?:\(|!|not|host|net|port|portrange|src|dst|udp|tcp|sctp|icmp6?|ip6?|arp|proto|ether|vlan|greater|less|len)$/;
/** Such a word alone is an expression too. */
const PROTOCOL = /^(?:udp|tcp|sctp|icmp6?|ip6?|arp|vlan)$/;
/** A longer expression is not repeated. */
const SHOWN_CHARS = 160;

/** Names of network interfaces, as systemd and others give them. */
const INTERFACE =
  /^(?:any|lo\d*|(?:eth|em|wlan|bond|br|tun|tap|wg|veth|docker|virbr|ens|enp|eno|enx|wlp|ppp|ib)[0-9][\w.@-]*)$/;

/** What to write instead of the first word; null where it may be the name of a file. */
export function strayWord({ words, before, isFirst }: Around): string | null {
  const [word = ''] = words;
  if (word.length > 200 || word === '-' || /[*?[\]]/.test(word) || existsSync(word)) return null;
  return (
    ofInterface(word, before) ??
    (before === '-c' && /^\d+$/.test(word) ? `write --limit ${word}: it ends after so many calls` : null) ??
    ofExpression(words) ??
    ofAddress(word) ??
    (isFirst ? foreignCommand(word) : null) ??
    ofFilter(word)
  );
}

function ofInterface(word: string, before: string): string | null {
  const isHere = word === 'any' || (/^[\w.@:-]{1,15}$/.test(word) && existsSync(`/sys/class/net/${word}`));
  const asScreen = before === '-i' ? `, and -i -d ${word} for the screen` : '';
  if (isHere) return `write -d ${word} to capture there${asScreen}`;
  if (!INTERFACE.test(word)) return null;
  return `this host has no such interface either: calltap alone lists them, -d any captures on all${asScreen === '' ? '' : ', -i shows a screen'}`;
}

function ofExpression(words: readonly string[]): string | null {
  const text = words.join(' ');
  const [first = '', ...more] = text.split(' ');
  if (!EXPRESSION.test(first) || (more.length === 0 && !PROTOCOL.test(first))) return null;
  if (/^(?:udp |tcp )?port (?:sip|\d+)$/.test(text) && !text.endsWith('sip'))
    return `write --portrange ${text.split(' ').at(-1)} to look for SIP there, or --bpf '${text}', which leaves RTP out`;
  return `write --bpf ${text.length > SHOWN_CHARS ? "'EXPRESSION'" : shellWord(text)}`;
}

function ofAddress(word: string): string | null {
  if (/^https?:\/\/[^/]/i.test(word)) return `write --connect ${shellWord(word)} to look at a running service`;
  const [, host = ''] = /^\[?([0-9a-fA-F.:]+?)\]?:\d{1,5}$/.exec(word) ?? [];
  if (isIP(word) === 0 && isIP(host) !== 0)
    return `write --api ${word} to serve, -H ${word} to mirror, or -L ${word} -E to receive HEP`;
  return null;
}

function ofFilter(word: string): string | null {
  const isNumber = /^\+?\d{2,20}$/.test(word);
  const isTerm = /^-?[a-z][a-z-]{1,20}(?::|[<>]=?)[^/\\]+$/.test(word);
  const state = DIALOG_STATES.find((one) => one.toLowerCase() === word.toLowerCase());
  const isMethod = METHOD_NAMES.some((name) => name === word.toUpperCase() && word.length > 2);
  if (isIP(word) !== 0) return `write --filter ip:${word}`;
  if (state !== undefined) return `write --filter state:${state}`;
  if (isMethod) return `write --filter method:${word.toUpperCase()}`;
  if (/^[1-6]\d\d$/.test(word)) return `write --filter code:${word}`;
  return isNumber || isTerm || /^sips?:|^tel:/.test(word) ? `write --filter ${shellWord(word)}` : null;
}
