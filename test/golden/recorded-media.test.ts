/**
 * Calls of real programs whose media went wrong, or only seems to have (fixtures/media): baresip 1.0, PJSUA2 2.15, SIPp 3.6 and
 * gstreamer 1.22 as phones and media engines, Kamailio 5.6 and rtpengine 10.5 or coturn 4.6 between them, recorded at a switch.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageRoot } from '../../src/core/package.ts';
import { callHints } from '../../src/view/explained.ts';
import { dialogFacts } from '../helpers/at-once.ts';
import { callFacts } from '../helpers/call-facts.ts';
import { readCaptureFile } from '../helpers/read-capture.ts';

type Recording = {
  /** Who took part: phones first. */
  readonly by: string;
  /** What was done to the call, or what of a healthy one looks like a fault. */
  readonly done: string;
  readonly finds: readonly string[];
};

const RECORDINGS: Readonly<Record<string, Recording>> = {
  'ice-firewall': {
    by: 'baresip',
    done: 'a firewall at each host dropped what came to its media ports',
    finds: ['ice-failed', 'no-media'],
  },
  'ice-changed-user': {
    by: 'baresip, Kamailio',
    done: 'the proxy changed ice-ufrag of the answer',
    finds: ['ice-failed', 'no-media'],
  },
  'ice-refused-by-relay': {
    by: 'baresip, Kamailio, rtpengine',
    done: 'the relay does ICE on both sides; the proxy changed its ice-pwd towards the caller',
    finds: ['ice-failed', 'one-way-audio'],
  },
  'port-changed-by-proxy': {
    by: 'PJSUA, baresip, Kamailio',
    done: 'the proxy changed the port of the offer towards the callee',
    finds: ['media-elsewhere', 'media-refused'],
  },
  'media-to-the-signaling-host': {
    by: 'SIPp, gstreamer',
    done: 'the callee named a media server; the caller sent to the host of its signaling',
    finds: ['media-elsewhere', 'media-refused', 'one-way-audio'],
  },
  'two-sources-one-ssrc': {
    by: 'baresip, SIPp, Kamailio, rtpengine',
    done: 'two branches got one port of the relay; the announcement of the one that lost ignored CANCEL and went on',
    finds: ['no-response', 'two-senders'],
  },
  'late-gateway': {
    by: 'baresip, SIPp',
    done: 'the callee began to send 4 s after its answer',
    finds: ['late-media'],
  },
  'keys-renumbered-by-proxy': {
    by: 'PJSUA, Kamailio',
    done: 'the proxy gave telephone-event another number in the answer',
    finds: ['payload-type-mismatch'],
  },
  'firewall-from-the-fifth-second': {
    by: 'PJSUA',
    done: 'a firewall at the callee dropped RTP after some seconds; reports passed',
    finds: ['remote-hears-nothing'],
  },
  'keys-taken-out-by-proxy': {
    by: 'PJSUA, Kamailio',
    done: 'the proxy took a=crypto out of the answer to an offer of optional SRTP',
    finds: ['srtp-mismatch'],
  },
  'silence-transcoded': {
    by: 'PJSUA, SIPp, Kamailio, rtpengine',
    done: 'the callee played a silent file in PCMA, of which the relay made PCMU',
    finds: ['silent-audio'],
  },
  'relay-passes-nothing-on': {
    by: 'PJSUA, Kamailio, rtpengine',
    done: 'a firewall at the relay dropped what came from the caller',
    finds: ['one-way-audio'],
  },
  'turn-passes-nothing-back': {
    by: 'baresip, coturn',
    done: 'a firewall at the TURN server dropped what the callee sent to the relayed address of the caller',
    finds: ['one-way-audio'],
  },
  'one-after-the-other-one-ssrc': {
    by: 'baresip, SIPp, Kamailio, rtpengine',
    done: 'the announcement of a branch ended when the other one answered; both have one SSRC',
    finds: [],
  },
  'music-of-another-host': {
    by: 'PJSUA, SIPp, gstreamer, Kamailio, rtpengine',
    done: 'a hold with music of another host, from its own port, and back',
    finds: [],
  },
  'latching-relay': {
    by: 'PJSUA, baresip, Kamailio, rtpengine',
    done: 'the caller named a private address; the relay sends to where media comes from',
    finds: [],
  },
  'ice-restart': { by: 'PJSUA', done: 'a re-INVITE with new candidates', finds: [] },
  'early-media-of-a-lost-branch': {
    by: 'baresip, PJSUA, Kamailio',
    done: 'a branch with early media was cancelled when the other one answered',
    finds: [],
  },
  'mirror-port': { by: 'baresip', done: 'each packet is there twice', finds: [] },
};

const FOLDER = join(packageRoot(), 'fixtures/media');

for (const [name, { by, done, finds }] of Object.entries(RECORDINGS))
  test(`${name} of ${by} (${done}): ${finds.join(', ') || 'nothing wrong'}`, async (t) => {
    const { session } = await readCaptureFile(t, join(FOLDER, `${name}.pcap.gz`));
    const all = [...session.dialogs.oldestFirst()];
    assert.ok(all.length > 0);
    const hints = all.flatMap((d) => callHints(dialogFacts(session.evidence, d)));
    assert.deepEqual(
      [...new Set(all.flatMap((d) => callFacts(session, d)))].sort(),
      [...finds].sort(),
      hints.join('\n'),
    );
  });

test('each recording has a row', () => {
  assert.deepEqual(
    readdirSync(FOLDER).sort(),
    Object.keys(RECORDINGS)
      .map((name) => `${name}.pcap.gz`)
      .sort(),
  );
});
