/**
 * The HTTP handshake of a WebSocket (RFC 6455 §4), with the values that say who asks whom for what taken out: those that agree
 * on the protocol stay. The length stays.
 */

const KEPT = new Set(['upgrade', 'connection', 'sec-websocket-version', 'content-length']);
const PROTOCOL = 'sec-websocket-protocol';
/** Others may be the name of a vendor. */
const PROTOCOLS = /^(?:sip|xmpp|msrp|bfcp|mqtt)$/i;
const EXTENSIONS = 'sec-websocket-extensions';
const FILLER = 'x';

export function cleanHandshake(handshake: Buffer): Buffer {
  const lines = handshake.toString('latin1').split('\n');
  return Buffer.from(lines.map((line, i) => (i === 0 ? firstLine(line) : headerLine(line))).join('\n'), 'latin1');
}

/** `GET /path HTTP/1.1`, `HTTP/1.1 101 Switching Protocols`. */
function firstLine(line: string): string {
  const request = /^(GET )(.*)( HTTP\/1\.\d\r?)$/.exec(line);
  if (request !== null) return `${request[1]}${path(request[2] ?? '')}${request[3]}`;
  const response = /^(HTTP\/1\.\d \d{3} ?)(.*?)(\r?)$/.exec(line);
  return response === null ? blank(line) : `${response[1]}${blank(response[2] ?? '')}${response[3]}`;
}

function path(text: string): string {
  return text === '' ? '' : `/${FILLER.repeat(text.length - 1)}`;
}

function headerLine(line: string): string {
  const found = /^([!#$%&'*+.^_`|~\w-]{1,64})(:[ \t]*)(.*?)([ \t]*\r?)$/s.exec(line);
  if (found === null) return blank(line);
  const [, name = '', colon = '', value = '', end = ''] = found;
  const known = name.toLowerCase();
  if (KEPT.has(known) && /^[\w ,./-]{0,64}$/.test(value)) return line;
  if (known === PROTOCOL)
    return `${name}${colon}${value.replace(/[^\s,]+/g, (word) => (PROTOCOLS.test(word) ? word : blank(word)))}${end}`;
  if (known === EXTENSIONS && /^permessage-deflate[\w ;=,"-]{0,128}$/.test(value)) return line;
  const shown = /^(?:host|origin|user-agent|server|date|cookie|sec-websocket-(?:key|accept))$/.test(known)
    ? name
    : blank(name);
  return `${shown}${colon}${blank(value)}${end}`;
}

function blank(text: string): string {
  return text.replace(/[^\r]/g, FILLER);
}
