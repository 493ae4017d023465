/**
 * A 401 or 407 is a demand for credentials until it refuses those that were given for its realm's last nonce; and a demand
 * that nobody meets for 32 s ends in Failed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteOf, scriptOf } from '../../../../fixtures/build/calls-setup.ts';
import type { SipRequest, SipScript } from '../../../../fixtures/build/sip-call.ts';
import { THRESHOLDS } from '../../../../src/core/thresholds.ts';
import { DIALOG_STATES } from '../../../../src/core/words.ts';
import { MAX_CHALLENGES } from '../../../../src/protocols/sip/digest.ts';
import type { Dialog } from '../../../../src/store/dialogs/dialog.ts';
import { signalingOf } from '../../../helpers/judged.ts';
import { HEP, TrackerKit } from '../../ingest/dialogs/tracker-kit.ts';

type Given = { nonce: string; realm?: string };

function ask(call: SipScript, method: string, atMs: number, ...given: Given[]): SipRequest {
  const headers = given.map(
    ({ nonce, realm = 'pbx' }) =>
      ['Authorization', `Digest username="a", realm="${realm}", nonce="${nonce}", uri="sip:b", response="0"`] as const,
  );
  return call.request(method, atMs, { headers });
}

function demand(call: SipScript, r: SipRequest, nonce: string, more = '', realm = 'pbx'): void {
  const value = `Digest realm="${realm}", nonce="${nonce}"${more}`;
  const atMs = (r.tsUs - call.startUs) / 1000 + 10;
  call.respond(r, 401, atMs, { headers: [['WWW-Authenticate', value]] });
  if (r.method === 'INVITE') call.ack(r, 401, atMs + 1);
}

/** Plays `build` and lets the capture go on for `afterMs`. */
function played(build: (call: SipScript) => void, afterMs = 0) {
  const call = scriptOf('challenged');
  build(call);
  const kit = new TrackerKit();
  const d = kit.play(call);
  const nowUs = (call.messages.at(-1)?.tsUs ?? 0) + afterMs * 1000;
  kit.tracker.sweep(nowUs);
  const f = signalingOf(d, kit.log, { nowUs, thresholds: THRESHOLDS, icmp: [] });
  return { d, kit, state: DIALOG_STATES[d.state], failure: f?.finalFailure?.code ?? null, f };
}

const said = ({ state, failure }: { state: string | undefined; failure: number | null }): string =>
  `${state} ${failure}`;

test('credentials for the last nonce are refused: Failed with that code, whatever the method', () => {
  for (const method of ['REGISTER', 'INVITE', 'SUBSCRIBE', 'OPTIONS', 'PUBLISH', 'MESSAGE']) {
    const refused = played((call) => {
      demand(call, ask(call, method, 0), 'n1');
      demand(call, ask(call, method, 100, { nonce: 'n1' }), 'n2');
    });
    assert.equal(said(refused), 'Failed 401', method);
    assert.match(refused.f?.hints[0]?.text ?? '', /credentials of .* were refused with 401/, method);
  }
});

test('a refused REGISTER is a registration failure; a refused re-INVITE, REFER or BYE leaves the call', () => {
  const { f } = played((call) => {
    demand(call, ask(call, 'REGISTER', 0), 'n1');
    demand(call, ask(call, 'REGISTER', 100, { nonce: 'n1' }), 'n1');
  });
  assert.deepEqual(
    [f?.registrationFailure?.kind, f?.registrationFailure?.code, f?.registrationFailure?.evidence],
    ['rejected', 401, [3]],
  );
  for (const method of ['INVITE', 'BYE', 'REFER', 'INFO']) {
    const call = played((c) => {
      const invite = inviteOf(c, 'challenged');
      c.respond(invite, 200, 50);
      c.ack(invite, 200, 60);
      demand(c, ask(c, method, 1000), 'n1');
      demand(c, ask(c, method, 1100, { nonce: 'n1' }), 'n2');
    });
    assert.equal(said(call), method === 'BYE' ? 'Completed null' : 'InCall null', method);
  }
});

test('no refusal: an old nonce, another realm, stale, a nonce that was good before, no credentials', () => {
  const once = (build: (call: SipScript) => void): string => said(played(build));
  const first = (call: SipScript): void => demand(call, ask(call, 'REGISTER', 0), 'n1');
  assert.equal(once(first), 'Trying null');
  assert.equal(
    once((call) => {
      first(call);
      demand(call, ask(call, 'REGISTER', 100), 'n2');
    }),
    'Trying null',
    'asked twice, given nothing',
  );
  assert.equal(
    once((call) => {
      first(call);
      demand(call, ask(call, 'REGISTER', 100, { nonce: 'from the day before' }), 'n2');
    }),
    'Trying null',
    'another nonce',
  );
  assert.equal(
    once((call) => {
      first(call);
      demand(call, ask(call, 'REGISTER', 100, { nonce: 'n1' }), 'n2', ', stale=TRUE');
    }),
    'Trying null',
    'stale',
  );
  assert.equal(
    once((call) => {
      first(call);
      demand(call, ask(call, 'REGISTER', 100, { nonce: 'n1' }), 'm1', '', 'registrar');
    }),
    'Trying null',
    'the next server on the way asks for its own',
  );
  assert.equal(
    once((call) => {
      first(call);
      call.respond(ask(call, 'REGISTER', 100, { nonce: 'n1' }), 200, 110);
      demand(call, ask(call, 'REGISTER', 60_000, { nonce: 'n1' }), 'n2');
    }),
    'Registered null',
    'the nonce was good a minute ago',
  );
});

test('each realm is judged for itself, and each algorithm of one challenge may be answered', () => {
  const second = played((call) => {
    demand(call, ask(call, 'REGISTER', 0), 'p1', '', 'proxy');
    demand(call, ask(call, 'REGISTER', 100, { nonce: 'p1', realm: 'proxy' }), 'u1');
    demand(call, ask(call, 'REGISTER', 200, { nonce: 'p1', realm: 'proxy' }, { nonce: 'u1' }), 'u2');
  });
  assert.equal(said(second), 'Failed 401');
  const several = ', algorithm=SHA-256, Digest realm="pbx", nonce="md5", algorithm=MD5';
  const other = played((call) => {
    demand(call, ask(call, 'REGISTER', 0), 'sha', several);
    demand(call, ask(call, 'REGISTER', 100, { nonce: 'md5' }), 'sha2', several);
  });
  assert.equal(said(other), 'Failed 401');
});

test('a later success or attempt moves a refused dialog on', () => {
  const registered = played((call) => {
    demand(call, ask(call, 'REGISTER', 0), 'n1');
    demand(call, ask(call, 'REGISTER', 100, { nonce: 'n1' }), 'n2');
    call.respond(ask(call, 'REGISTER', 200, { nonce: 'n2' }), 200, 210);
  });
  assert.equal(said(registered), 'Registered null');
  const again = played((call) => {
    demand(call, ask(call, 'INVITE', 0), 'n1');
    demand(call, ask(call, 'INVITE', 100, { nonce: 'n1' }), 'n2');
    ask(call, 'INVITE', 200, { nonce: 'n2' });
  });
  assert.equal(again.state, 'Trying');
  assert.equal(again.d.finalCode, 401);
});

test('a refusal that a mirror tells too is one refusal, whichever comes first', () => {
  const call = scriptOf('copied');
  demand(call, ask(call, 'INVITE', 0), 'n1');
  demand(call, ask(call, 'INVITE', 100, { nonce: 'n1' }), 'n2');
  const states = (['wire', 'mirror'] as const).map((order) => {
    const kit = new TrackerKit();
    for (const m of call.messages) {
      kit.send(m, order === 'wire' ? {} : { origin: HEP });
      kit.send(m, order === 'wire' ? { origin: HEP } : {});
    }
    const d = kit.dialog(call.callId);
    const f = signalingOf(d, kit.log, { nowUs: d.updatedUs, thresholds: THRESHOLDS, icmp: [] });
    return [DIALOG_STATES[d.state], f?.finalFailure?.code, d.sources?.of(HEP).finalUs];
  });
  assert.deepEqual(states[0], states[1]);
  assert.deepEqual(states[0], ['Failed', 401, call.at(110)]);
});

test('a phone that registered a thousand times is still judged', () => {
  const { state, failure } = played((call) => {
    demand(call, ask(call, 'REGISTER', 0), 'n1');
    for (let i = 1; i <= 300; i++) call.respond(ask(call, 'REGISTER', i * 1000, { nonce: 'n1' }), 200, i * 1000 + 10);
    demand(call, ask(call, 'REGISTER', 301_000, { nonce: 'n1' }), 'n2');
    demand(call, ask(call, 'REGISTER', 301_100, { nonce: 'n2' }), 'n3');
  });
  // The rows of its evidence are beyond what is kept.
  assert.deepEqual([state, failure], ['Failed', null]);
});

test('a challenge that nobody answers for 32 s is Failed, with its code', () => {
  for (const method of ['REGISTER', 'INVITE', 'SUBSCRIBE', 'OPTIONS', 'REFER']) {
    const asked = (afterMs: number) =>
      played((call) => demand(call, ask(call, method, 0), 'n1'), afterMs - (method === 'INVITE' ? 1 : 0));
    assert.notEqual(asked(31_999).state, 'Failed', method);
    const { state, failure, f } = asked(32_000);
    assert.deepEqual([state, failure], ['Failed', 401], method);
    assert.match(f?.hints[0]?.text ?? '', /was challenged with 401, and nobody gave credentials\.$/, method);
  }
});

test('who answers in time, registered before or talks does not fail by it; who comes later moves on', () => {
  const after = (build: (call: SipScript) => void): string => said(played(build, 40_000));
  assert.equal(
    after((call) => {
      demand(call, ask(call, 'REGISTER', 0), 'n1');
      ask(call, 'REGISTER', 31_000, { nonce: 'n1' });
    }),
    'Trying null',
  );
  assert.equal(
    after((call) => {
      call.respond(call.request('REGISTER', 0, { headers: [['Expires', '600']] }), 200, 10);
      demand(call, ask(call, 'REGISTER', 1000), 'n1');
    }),
    'Registered null',
  );
  assert.equal(
    after((call) => {
      const invite = inviteOf(call, 'challenged');
      call.respond(invite, 200, 50);
      call.ack(invite, 200, 60);
      demand(call, ask(call, 'INVITE', 1000), 'n1');
    }),
    'InCall null',
  );
  const call = scriptOf('late');
  const kit = new TrackerKit();
  const states: (string | undefined)[] = [];
  demand(call, ask(call, 'INVITE', 0), 'n1');
  demand(call, ask(call, 'INVITE', 20_000), 'n2');
  ask(call, 'INVITE', 40_000);
  demand(call, ask(call, 'INVITE', 50_000), 'n3');
  call.respond(ask(call, 'INVITE', 90_000, { nonce: 'n3' }), 200, 90_500);
  let d: Dialog | null = null;
  for (const m of call.messages) {
    kit.tracker.sweep(m.tsUs);
    if (d !== null) states.push(DIALOG_STATES[d.state]);
    d = kit.send(m);
    states.push(DIALOG_STATES[d?.state ?? 0]);
  }
  const changes = states.filter((s, i) => s !== states[i - 1]);
  assert.deepEqual(changes, ['Trying', 'Failed', 'Trying', 'Failed', 'Trying', 'InCall']);
});

test('what a hostile server asks for is bounded, and counted with the dialog', () => {
  const many = Array.from({ length: 50 }, (_, i) => `Digest realm="r${i}", nonce="n${i}"`).join(', ');
  const call = scriptOf('many');
  const kit = new TrackerKit();
  for (let i = 0; i < 3; i++) {
    const r = call.request('OPTIONS', i * 100);
    call.respond(r, 401, i * 100 + 10, { headers: [['WWW-Authenticate', many.replaceAll('"r', `"${i}r`)]] });
  }
  const d = kit.play(call);
  assert.equal(d.challenges?.length, MAX_CHALLENGES);
  const before = kit.dialogs.room.bytes;
  d.challenges = null;
  assert.equal(before - kit.dialogs.room.bytes, MAX_CHALLENGES * 80);
});
