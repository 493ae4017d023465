/** Connections that are told to be no SIP: their calls are passed over, and nobody else's are. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { carriesPlaintext } from '../../src/sources/tls/sites.ts';
import { chosenSites } from '../helpers/tls-probes.ts';
import {
  certificateFolder,
  checkAddresses,
  kernelSkip,
  openLab,
  peerPath,
  privateLibssl,
  runPeer,
} from './tls-kernel-lab.ts';

const ROUNDS = 600;
/** Rounds of 'mixed' in front, with one message of SIP instead of two. */
const CLEAN = 10;
/** APART_CALLS of bpf/tls_apart.h. */
const PASSED_OVER = 256;

test('told apart', { skip: kernelSkip() }, async (t) => {
  const folder = certificateFolder(t);
  const libssl = privateLibssl(folder);
  const program = join(folder, 'tls_apart');
  execFileSync('gcc', ['-O1', '-o', program, peerPath('tls_apart.c'), '-lssl', '-lcrypto']);
  const shared = openLab(t, { sipOnly: true });
  const talk = async (mode: string, sites = chosenSites(libssl)) => {
    const lab = await shared.again();
    const attachment = lab.attach(libssl, sites);
    const output = await runPeer([program, mode, String(ROUNDS)], folder);
    await lab.settle();
    lab.native.detach(attachment);
    assert.ok(lab.data().every((e) => !e.bytes.includes('SECRET')));
    assert.equal(lab.counter('lost_events') + lab.counter('return_without_entry') + lab.counter('stale_frames'), 0);
    return { lab, check: checkAddresses(lab.events, Number(/port (\d+)/.exec(output)?.[1])) };
  };

  await t.test(
    'HTTP costs no look at its sockets; the same objects speak SIP then, and every message is seen',
    async () => {
      const { lab, check } = await talk('again');
      assert.deepEqual(
        { ...check, late: 0 },
        { right: 4 * ROUNDS, wrong: [], unknown: 0, late: 0, weak: 0, weakWrong: 0 },
      );
      assert.equal(lab.counter('filtered'), 4 * ROUNDS);
      assert.equal(lab.counter('filtered_bytes'), 4 * ROUNDS * 400);
      // Those of SIP, of two handshakes, and of one HTTP call in many.
      const most = 6 * ROUNDS + (6 * ROUNDS) / PASSED_OVER + 100;
      assert.ok(lab.counter('socket_calls') <= most, `${lab.counter('socket_calls')} socket calls`);
    },
  );

  await t.test('without a sign that an object begins anew, its socket shows it within some calls', async () => {
    const { lab, check } = await talk(
      'again',
      chosenSites(libssl).filter(({ kind }) => carriesPlaintext(kind)),
    );
    assert.deepEqual(check.wrong, []);
    assert.ok(check.right >= 4 * ROUNDS - 2 * PASSED_OVER, `${check.right} seen`);
    assert.equal(lab.counter('rebound'), 2);
  });

  await t.test('what is sent and received for it is no evidence for the SIP beside it', async () => {
    const { lab, check } = await talk('mixed');
    assert.deepEqual([check.wrong, check.weakWrong, check.unknown], [[], 0, 0]);
    assert.equal(check.right, 4 * (ROUNDS + CLEAN) - 2 * CLEAN);
    assert.equal(lab.counter('contrary_evidence'), 0);
  });
});
