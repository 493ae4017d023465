/** What the carriers and the office of the carriers' lab say, in the XML of SIPp, and the RTP that they play. */
import assert from 'node:assert/strict';
import { concat } from '../../fixtures/build/bytes.ts';
import { Capture } from '../../fixtures/build/capture.ts';
import { rtpHeader } from '../../fixtures/build/rtp.ts';
import { STEPS } from './sipp-scenarios.ts';

const { invite, ack, bye, got, came, pause, play, respond, answer, sameTransaction } = STEPS;

export type Carrier = 'acme' | 'globex' | 'initech';
export const CARRIER_NAMES = ['acme', 'globex', 'initech'] as const;

/** What both sides say: packets of 20 ms. */
const SPOKEN = 80;
/** Behind it. */
const TALK_MS = 2_200;
const RING_MS = { acme: 250, globex: 300, initech: 350 } as const;
const SLOW_MS = 2_000;
/** What is said in a MESSAGE; a carrier is well before it is told. */
export const MOODS = { well: 0, fails: 1, slow: 2 } as const;
export type Mood = keyof typeof MOODS;

/** Numbers that are dialled, one after the other; a carrier is busy at one that ends in 486, and knows none that ends in 404. */
export const NUMBERS = ['100', '486', '101', '102', '404', '103', '104', '105'].flatMap((rest) => [
  `1${rest}`,
  `2${rest}`,
  `3${rest}`,
]);

/** SIPp gives the ports of `rtp_stream` to all calls at once, and those of `play_pcap_audio` to one. */
export const own = (steps: string): string =>
  steps
    .replaceAll('[rtpstream_audio_port]', '[auto_media_port]')
    .replaceAll('rtp_stream="tone.ul,-1,0"', 'play_pcap_audio="spoken.pcap"');

const go = (label: string, when?: string): string =>
  `<nop next="${label}"${when === undefined ? '' : ` test="${when}"`}/>\n`;
const label = (name: string): string => `<label id="${name}"/>\n`;
const isMood = (mood: Mood): string =>
  `<test assign_to="${mood}" variable="mood" compare="equal" value="${MOODS[mood]}"/>`;
const matches = (what: string, header: string, name: string): string =>
  `<ereg regexp="${what}" search_in="hdr" header="${header}:" assign_to="${name}"/>`;
const received = (method: string, to: string, actions = ''): string =>
  `<recv request="${method}" optional="true" next="${to}"><action>${actions}</action></recv>\n`;

const refuse = (status: string): string => respond(status, { cseq: '1 INVITE' }) + got('ACK') + go('over');

export function carrierSteps(name: Carrier): string {
  const told = `${matches('[0-9]', 'Subject', 'digit')}<todouble assign_to="mood" variable="digit"/>`;
  const dialled = matches('486@', 'To', 'busy') + matches('404@', 'To', 'unknown');
  return own(
    '<Global variables="mood"/>\n' +
      received('OPTIONS', 'asked') +
      received('MESSAGE', 'asked', told) +
      got('INVITE', `<action>${dialled}${isMood('fails')}${isMood('slow')}</action>`) +
      respond('100 Trying') +
      go('slowly', 'slow') +
      pause(RING_MS[name]) +
      go('ring') +
      label('slowly') +
      pause(SLOW_MS) +
      label('ring') +
      go('fail', 'fails') +
      go('refuse_busy', 'busy') +
      go('refuse_unknown', 'unknown') +
      respond('180 Ringing') +
      pause(100) +
      answer +
      got('ACK') +
      play +
      got('BYE') +
      respond('200 OK', { isTagged: true }) +
      go('over') +
      label('fail') +
      refuse('503 Service Unavailable') +
      label('refuse_busy') +
      refuse('486 Busy Here') +
      label('refuse_unknown') +
      refuse('404 Not Found') +
      label('asked') +
      respond('200 OK') +
      label('over') +
      pause(0),
  );
}

const refused = (status: number): string => `<recv response="${status}" optional="true" rrs="true" next="refused"/>\n`;
/** Whoever rings, the route of the call is that of its 200: another carrier may have rung before. */
const progress = [100, 180].map((status) => `<recv response="${status}" optional="true"/>\n`).join('');
/** A carrier that has gone does not answer a BYE: the proxy says so. */
export const CALLER = own(
  invite(1) +
    progress +
    [404, 408, 486, 500, 503].map(refused).join('') +
    came(200) +
    ack(1) +
    play +
    pause(TALK_MS) +
    bye(2).replace('<recv', '<recv response="408" optional="true" next="over"/>\n<recv') +
    go('over') +
    label('refused') +
    sameTransaction('ACK', 1) +
    label('over') +
    pause(0),
).replaceAll('sip:bob@', 'sip:[field0]@');

/** For SIPp, which puts addresses and ports of its own. */
export function spoken(): Uint8Array {
  const [src, dst] = ['192.0.2.1', '192.0.2.2'].map((address) => ({ address, port: 20_000 }));
  assert.ok(src !== undefined && dst !== undefined);
  const datagrams = Array.from({ length: SPOKEN }, (_, i) => {
    const bytes = concat(rtpHeader(1_000 + i, 160 * i, 0x5eed, 0, i === 0), new Uint8Array(160).fill(0x9e));
    return { tsUs: 1_700_000_000e6 + i * 20_000, src, dst, bytes };
  });
  return new Capture().add(datagrams).pcap();
}
