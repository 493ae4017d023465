/**
 * Ways in which an INVITE, a REGISTER or OPTIONS goes on and ends: what RFC 6076 tells apart, and what only looks like it.
 * Times are in milliseconds after the first message.
 */
import { credentials } from '../../fixtures/build/calls-setup.ts';
import { CODEC, sdp } from '../../fixtures/build/sdp.ts';
import type { MessageOptions, Party, RequestOptions, SipRequest, SipScript } from '../../fixtures/build/sip-call.ts';

/** What a shape is made with: a script, both parties, and times that no two calls share. */
export type Scene = {
  readonly call: SipScript;
  readonly caller: Party;
  readonly callee: Party;
  /** A time up to so many milliseconds, or now and then exactly a round one. */
  readonly ms: (most: number) => number;
};

export type Shape = (scene: Scene) => void;

const TIMEOUT_MS = 32_000;
/** When a client sends an INVITE or a BYE again (RFC 3261 timers A and E). */
const INVITE_AGAIN = [500, 1_500, 3_500, 7_500, 15_500, 31_500];
const BYE_AGAIN = [500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500];

function described({ rtp }: Party): MessageOptions {
  return { body: { type: 'application/sdp', text: sdp({ media: rtp, codecs: [CODEC.PCMU, CODEC.EVENT] }) } };
}

function invite({ call, caller }: Scene, atMs = 0, more: RequestOptions = {}): SipRequest {
  return call.request('INVITE', atMs, { ...described(caller), ...more });
}

function withCredentials(scene: Scene, atMs: number, more: RequestOptions = {}): SipRequest {
  const header = ['Proxy-Authorization', credentials(scene.caller.user, 'sip:example.com')] as const;
  return invite(scene, atMs, { ...more, headers: [header] });
}

function challenge(call: SipScript, r: SipRequest, code: number, atMs: number): void {
  const header = [
    code === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate',
    'Digest realm="example.com", nonce="4f1d2c3b5a69", algorithm=MD5, qop="auth"',
  ] as const;
  call.respond(r, code, atMs, { headers: [header] });
  if (r.method === 'INVITE') call.ack(r, code, atMs + 5);
}

/** 100, 180 where it rings, 200 and ACK; returns when. */
function pickUp({ call, callee, ms }: Scene, r: SipRequest, atMs: number, rings = true): number {
  call.respond(r, 100, atMs + 1);
  const ringMs = atMs + 2 + ms(6_000);
  if (rings) call.respond(r, 180, ringMs);
  const answerMs = ringMs + 1 + ms(15_000);
  call.respond(r, 200, answerMs, described(callee));
  call.ack(r, 200, answerMs + 10);
  return answerMs;
}

function hangUp({ call, ms }: Scene, atMs: number, by: 'caller' | 'callee' = 'caller'): void {
  call.respond(call.request('BYE', atMs, { by }), 200, atMs + 1 + ms(800));
}

function answered(talkMs: number, by: 'caller' | 'callee' = 'caller'): Shape {
  return (scene) => {
    const answerMs = pickUp(scene, invite(scene), 0);
    hangUp(scene, answerMs + talkMs + (talkMs % 1_000 === 0 ? 0 : scene.ms(900)), by);
  };
}

function refused(code: number, rings: boolean): Shape {
  return (scene) => {
    const { call, ms } = scene;
    const r = invite(scene);
    call.respond(r, 100, 1);
    const atMs = 10 + ms(2_000);
    if (rings) call.respond(r, code % 2 === 0 ? 180 : 183, atMs);
    call.respond(r, code, atMs + 1 + ms(9_000));
    call.ack(r, code, atMs + 9_100);
  };
}

function afterChallenge(code: number, isTagged = false): Shape {
  return (scene) => {
    const { call, ms } = scene;
    const first = invite(scene);
    challenge(call, first, code, 5 + ms(60));
    const answerMs = pickUp(scene, withCredentials(scene, 100, isTagged ? { early: true } : {}), 100);
    hangUp(scene, answerMs + 4_000);
  };
}

const CALLS: Readonly<Record<string, Shape>> = {
  'talks 3 s': answered(3_010),
  'talks 5 s': answered(5_000),
  'talks 17 s': answered(17_010),
  'talks 59 s': answered(59_010),
  'talks 3 min': answered(180_010, 'callee'),
  'answers at once': (scene) => {
    hangUp(scene, pickUp(scene, invite(scene), 0, false) + 7_000);
  },
  'busy after ringing': refused(486, true),
  busy: refused(486, false),
  'not there': refused(480, true),
  'busy everywhere': refused(600, false),
  declined: refused(603, true),
  'not found': refused(404, false),
  forbidden: refused(403, true),
  unavailable: refused(503, false),
  'server error': refused(500, true),
  'timed out': refused(408, true),
  'gateway timed out': refused(504, false),
  'not acceptable': refused(488, false),
  redirected: refused(302, false),
  'redirected after 183': refused(301, true),
  'given up': (scene) => {
    const { call, ms } = scene;
    const r = invite(scene);
    call.respond(r, 100, 1);
    call.respond(r, 180, 20 + ms(3_000));
    const atMs = 4_000 + ms(20_000);
    call.respond(call.cancel(r, atMs), 200, atMs + 5);
    call.respond(r, 487, atMs + 10);
    call.ack(r, 487, atMs + 15);
  },
  'given up before it rings': (scene) => {
    const r = invite(scene);
    scene.call.respond(r, 100, 1);
    scene.call.respond(scene.call.cancel(r, 3_000), 200, 3_005);
    scene.call.respond(r, 487, 3_010);
    scene.call.ack(r, 487, 3_015);
  },
  silent: (scene) => {
    const r = invite(scene);
    for (const atMs of INVITE_AGAIN) scene.call.repeat(r, atMs);
  },
  'trying for ever': (scene) => {
    scene.call.respond(invite(scene), 100, 20);
  },
  'answers too late': (scene) => {
    const r = invite(scene);
    scene.call.respond(r, 503, TIMEOUT_MS + 500);
    scene.call.ack(r, 503, TIMEOUT_MS + 505);
  },
  'credentials asked by the proxy': afterChallenge(407),
  'credentials asked by the callee': afterChallenge(401),
  'credentials with a tag': afterChallenge(401, true),
  'credentials never come': (scene) => {
    challenge(scene.call, invite(scene), 407, 30);
  },
  'credentials come after a minute': (scene) => {
    challenge(scene.call, invite(scene), 407, 30);
    hangUp(scene, pickUp(scene, withCredentials(scene, 60_000), 60_000) + 2_000);
  },
  'wrong credentials': (scene) => {
    challenge(scene.call, invite(scene), 407, 30);
    challenge(scene.call, withCredentials(scene, 50), 407, 80);
  },
  'right credentials, busy': (scene) => {
    challenge(scene.call, invite(scene), 401, 30);
    const r = withCredentials(scene, 50);
    scene.call.respond(r, 486, 700 + scene.ms(500));
    scene.call.ack(r, 486, 1_300);
  },
  'tried once more after 503': (scene) => {
    const { call } = scene;
    const first = invite(scene);
    call.respond(first, 503, 40);
    call.ack(first, 503, 45);
    hangUp(scene, pickUp(scene, invite(scene, 900), 900) + 3_000);
  },
  'all comes again': (scene) => {
    const { call, callee, ms } = scene;
    const r = invite(scene);
    call.repeat(r, 500);
    const ringing = call.respond(r, 180, 600 + ms(300));
    call.repeat(ringing, 1_000);
    const ok = call.respond(r, 200, 2_000 + ms(300), described(callee));
    call.repeat(ok, 2_800);
    const ack = call.ack(r, 200, 2_900);
    call.repeat(ack, 3_300);
    const bye = call.request('BYE', 9_000);
    call.repeat(bye, 9_500);
    const gone = call.respond(bye, 200, 9_600);
    call.repeat(gone, 9_700);
  },
  'rings at two places': (scene) => {
    const { call, callee } = scene;
    const r = invite(scene);
    call.respond(r, 100, 1);
    call.respond(r, 180, 300, { tag: 'desk' });
    call.respond(r, 180, 420, { tag: 'mobile' });
    call.respond(r, 200, 4_000, { ...described(callee), tag: 'mobile' });
    call.ack(r, 200, 4_010, { tag: 'mobile' });
    hangUp(scene, 9_500);
  },
  'two places answer': (scene) => {
    const { call, callee } = scene;
    const r = invite(scene);
    call.respond(r, 180, 300, { tag: 'desk' });
    call.respond(r, 180, 420, { tag: 'mobile' });
    call.respond(r, 200, 4_000, { ...described(callee), tag: 'mobile' });
    call.ack(r, 200, 4_010, { tag: 'mobile' });
    call.respond(r, 200, 4_100, { ...described(callee), tag: 'desk' });
    call.ack(r, 200, 4_110, { tag: 'desk' });
    // The fork that answered last is ended at once.
    hangUp(scene, 4_120);
    call.respond(r, 200, 4_200, { ...described(callee), tag: 'mobile' });
    hangUp(scene, 29_500);
  },
  'is put on hold': (scene) => {
    const { call, callee } = scene;
    const answerMs = pickUp(scene, invite(scene), 0);
    const again = call.request('INVITE', answerMs + 2_000, { by: 'callee', ...described(callee) });
    call.respond(again, 200, answerMs + 2_050);
    call.ack(again, 200, answerMs + 2_060);
    hangUp(scene, answerMs + 12_000);
  },
  'its BYE is lost': (scene) => {
    const atMs = pickUp(scene, invite(scene), 0) + 8_000;
    const bye = scene.call.request('BYE', atMs);
    for (const againMs of BYE_AGAIN) scene.call.repeat(bye, atMs + againMs);
  },
  'its BYE is refused': (scene) => {
    const atMs = pickUp(scene, invite(scene), 0) + 8_000;
    scene.call.respond(scene.call.request('BYE', atMs), 481, atMs + 20);
  },
  'its BYE needs credentials': (scene) => {
    const atMs = pickUp(scene, invite(scene), 0) + 8_000;
    challenge(scene.call, scene.call.request('BYE', atMs), 407, atMs + 20);
    hangUp(scene, atMs + 60);
  },
  'nobody hangs up': (scene) => {
    pickUp(scene, invite(scene), 0);
  },
};

/** SIPp's own scenarios keep one Call-ID for all they do. */
const BOTH: Readonly<Record<string, Shape>> = {
  'registers, and calls by the same Call-ID': (scene) => {
    const first = register(scene, 0);
    const second = invite(scene, 500);
    scene.call.respond(first, 200, 20);
    hangUp(scene, pickUp(scene, second, 500) + 3_000);
  },
};

const register = ({ call }: Scene, atMs: number, headers: MessageOptions['headers'] = []): SipRequest =>
  call.request('REGISTER', atMs, { headers });

const REGISTRATIONS: Readonly<Record<string, Shape>> = {
  registers: (scene) => {
    scene.call.respond(register(scene, 0), 200, 1 + scene.ms(900));
  },
  'registers with credentials, and again': (scene) => {
    const { call, caller, ms } = scene;
    const header = ['Authorization', credentials(caller.user, 'sip:example.com')] as const;
    for (const atMs of [0, 45_000]) {
      challenge(call, register(scene, atMs), 401, atMs + 10 + ms(200));
      call.respond(register(scene, atMs + 250, [header]), 200, atMs + 260 + ms(5_000));
    }
  },
  'registers and leaves': (scene) => {
    scene.call.respond(register(scene, 0), 200, 30);
    scene.call.respond(register(scene, 20_000, [['Expires', '0']]), 200, 20_000 + 1 + scene.ms(100));
  },
  'may not register': (scene) => {
    scene.call.respond(register(scene, 0), 403, 20);
  },
  'registers for too short a time first': (scene) => {
    scene.call.respond(register(scene, 0), 423, 20);
    scene.call.respond(register(scene, 40), 200, 40 + scene.ms(300));
  },
  'is not heard by the registrar': (scene) => {
    const r = register(scene, 0);
    for (const atMs of BYE_AGAIN) scene.call.repeat(r, atMs);
  },
  'has no password': (scene) => {
    challenge(scene.call, register(scene, 0), 401, 20);
  },
};

const OTHERS: Readonly<Record<string, Shape>> = {
  'is there': (scene) => {
    scene.call.respond(scene.call.request('OPTIONS', 0), 200, scene.ms(700));
  },
  'is there, and does not say so': (scene) => {
    scene.call.respond(scene.call.request('OPTIONS', 0), 405, 0.5 + scene.ms(30));
  },
  'is there the second time': (scene) => {
    const r = scene.call.request('OPTIONS', 0);
    scene.call.repeat(r, 500);
    scene.call.respond(r, 200, 520);
  },
  'is not there': (scene) => {
    const r = scene.call.request('OPTIONS', 0);
    for (const atMs of BYE_AGAIN) scene.call.repeat(r, atMs);
  },
  writes: (scene) => {
    scene.call.respond(scene.call.request('MESSAGE', 0), 202, 40);
  },
  'speaks another language': (scene) => {
    scene.call.respond(scene.call.request('CONGRATULATE', 0), 501, 10);
  },
};

/** By name. */
export const SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.entries({ ...CALLS, ...BOTH, ...REGISTRATIONS, ...OTHERS }),
);
