/**
 * What the phones of the hub's lab say, in the XML of SIPp. The far end answers, unless the number that is called says otherwise
 * by its last digits: 486 is busy, 503 has no line free, and 900 rings after three seconds.
 */
import { own } from '../live/carrier-scenarios.ts';
import { STEPS } from '../live/sipp-scenarios.ts';

const { request, got, pause, play, respond, answer } = STEPS;

const SLOW_MS = 3_000;

const received = (method: string): string => `<recv request="${method}" optional="true" next="asked"/>\n`;
const dialled = (digits: string, name: string): string =>
  `<ereg regexp="${digits}@" search_in="hdr" header="To:" assign_to="${name}"/>`;
const go = (to: string, test?: string): string => `<nop next="${to}"${test === undefined ? '' : ` test="${test}"`}/>\n`;
const label = (name: string): string => `<label id="${name}"/>\n`;
const refuse = (status: string): string => respond(status, { cseq: '1 INVITE' }) + got('ACK') + go('over');

export const FAR_END = own(
  received('OPTIONS') +
    got('INVITE', `<action>${dialled('486', 'busy')}${dialled('503', 'full')}${dialled('900', 'slow')}</action>`) +
    respond('100 Trying') +
    go('slowly', 'slow') +
    pause(200) +
    go('refuse_busy', 'busy') +
    go('refuse_full', 'full') +
    go('ring') +
    label('slowly') +
    pause(SLOW_MS) +
    label('ring') +
    respond('180 Ringing') +
    pause(300) +
    answer +
    got('ACK') +
    play +
    got('BYE') +
    respond('200 OK', { isTagged: true }) +
    go('over') +
    label('refuse_busy') +
    refuse('486 Busy Here') +
    label('refuse_full') +
    refuse('503 Service Unavailable') +
    label('asked') +
    respond('200 OK') +
    label('over') +
    pause(0),
);

const named = (steps: string): string => steps.replaceAll('sip:bob@', 'sip:[field0]@');
/** An answer that opens no dialog has no route to remember. */
const done = '<recv response="200"/>\n';

/** The first field of a line is the number or the user. */
export const REGISTER =
  named(request('REGISTER', 1, { headers: ['Expires: 60'] })).replaceAll('alice', '[field0]') + done;
export const OPTIONS = named(request('OPTIONS', 1)) + done;
