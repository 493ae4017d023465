/** A store that is busy: answered calls of a trunk and registered phones, which floods of strangers must not push out. */
import assert from 'node:assert/strict';
import { answer, sdpBody } from '../../../fixtures/build/basic-call.ts';
import { answerOf, offerOf, scriptOf } from '../../../fixtures/build/calls-setup.ts';
import type { SipScript } from '../../../fixtures/build/sip-call.ts';
import { MAX_DIALOGS } from '../../../src/config/options.ts';
import { TrackerKit } from './dialogs/tracker-kit.ts';
import { Flood } from './flood.ts';

export const TRUNK = {
  user: 'trunk',
  sip: { address: '10.1.1.1', port: 5060 },
  rtp: { address: '10.1.1.1', port: 20_000 },
};
export const SERVER = {
  user: 'pbx',
  sip: { address: '192.0.2.2', port: 5060 },
  rtp: { address: '192.0.2.2', port: 30_000 },
};

/** An answered call that goes on. */
export function answered(name: string): SipScript {
  const call = scriptOf(name, TRUNK, SERVER);
  answer(call, call.request('INVITE', 0, { body: sdpBody(offerOf(name)) }), answerOf(name));
  return call;
}

/** A registration that was granted. */
export function registered(name: string, address: string): SipScript {
  const phone = { ...TRUNK, user: name, sip: { address, port: 5060 } };
  const script = scriptOf(name, phone, SERVER);
  const headers = [
    ['Contact', `<sip:${name}@${address}>`],
    ['Expires', '3600'],
  ] as const;
  script.respond(script.request('REGISTER', 0, { headers }), 200, 10, { headers });
  return script;
}

export const CALLS = Array.from({ length: 100 }, (_, i) => `call ${i}`);
export const PHONES = Array.from({ length: 50 }, (_, i) => `phone${i}`);

/** A store of the default size with 100 answered calls of one trunk, 50 ended ones of a customer, and 50 phones. */
export function busy(maxDialogs = MAX_DIALOGS): { kit: TrackerKit; flood: Flood } {
  const kit = new TrackerKit({ maxDialogs });
  for (const name of CALLS) kit.play(answered(name));
  for (const [i, name] of PHONES.entries()) kit.play(registered(name, `10.2.0.${i + 1}`));
  return { kit, flood: new Flood(kit) };
}

export function assertAllKept(kit: TrackerKit, why: string): void {
  const gone = [...CALLS, ...PHONES].filter((name) => kit.dialogs.get(scriptOf(name).callId) === undefined);
  assert.deepEqual(gone, [], why);
}
