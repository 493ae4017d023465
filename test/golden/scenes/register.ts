/** Phones that register: challenged, told to wait longer, granted less. */
import { faulty, healthy, type Scene } from './scene.ts';

/** A registration that asks for so many seconds and is granted others. */
const registers = (sec: number, asked: number, granted: number): string => `
  ${sec}        A>S REGISTER | Expires: ${asked}
  ${sec + 0.02} S>A 401 challenge
  ${sec + 0.04} A>S REGISTER credentials | Expires: ${asked}
  ${sec + 0.06} S>A 200 | Contact: <sip:alice@192.0.2.10:5060>;expires=${granted}`;
const phone = (lines: string): string => `call phone A>S\n${lines}`;

export const REGISTER: readonly Scene[] = [
  healthy(
    'registers',
    'challenged once, and again before it expires',
    phone([0, 1700, 3400].map((s) => registers(s, 3600, 3600)).join('')),
  ),
  healthy('granted-a-second-less', 'a registrar that counts what is left', phone(registers(0, 3600, 3599))),
  healthy(
    'shortened-by-a-border-controller',
    '120 s of 3600, so that the NAT stays open; the phone comes back in time',
    phone([0, 60, 120, 180].map((s) => registers(s, 3600, 120)).join('')),
  ),
  healthy('shortened-to-half', 'half of what was asked', phone(registers(0, 600, 300))),
  healthy(
    'interval-too-brief',
    'too short at first, then what the registrar wants',
    phone(`
    0    A>S REGISTER | Expires: 60
    0.01 S>A 423 | Min-Expires: 300
    ${registers(0.1, 300, 300)}`),
  ),
  healthy(
    'unregisters',
    'the phone goes home',
    phone(`
    ${registers(0, 300, 300)}
    200    A>S REGISTER | Expires: 0
    200.02 S>A 200`),
  ),
  healthy(
    'nonce-too-old',
    'a stale nonce at the refresh',
    phone(`
    ${registers(0, 300, 300)}
    240    A>S REGISTER credentials | Expires: 300
    240.02 S>A 401 stale
    240.04 A>S REGISTER credentials | Expires: 300
    240.06 S>A 200 | Contact: <sip:alice@192.0.2.10:5060>;expires=300`),
  ),
  faulty(
    'granted-far-too-little',
    'registration-failure',
    '30 s of 3600, and the phone does not come back',
    phone(`
    ${registers(0, 3600, 30)}
    call later A>S
    300    A>S OPTIONS
    300.02 S>A 200`),
  ),
  faulty(
    'registration-forbidden',
    'final:403, registration-failure',
    'a user that the registrar does not know',
    phone(`
    0    A>S REGISTER | Expires: 300
    0.02 S>A 401 challenge
    0.04 A>S REGISTER credentials | Expires: 300
    0.06 S>A 403`),
  ),
  faulty(
    'registrar-gone',
    'no-response',
    'nobody answers',
    phone(`
    0    A>S REGISTER | Expires: 300
    0.5  A>S REGISTER again
    1.5  A>S REGISTER again
    3.5  A>S REGISTER again
    7.5  A>S REGISTER again`),
  ),
  faulty(
    'shortened-and-gone',
    'registration-failure',
    '300 s of 3600, and the phone comes back after an hour',
    phone(`
    ${registers(0, 3600, 300)}
    ${registers(3500, 3600, 300)}`),
  ),
];
