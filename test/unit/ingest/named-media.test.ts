/** What the kernel's filter is told: an endpoint while a running call names it, and a little longer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointKeyFromText, ipText } from '../../../src/core/ip.ts';
import { MEDIA_BYTES, NamedMedia } from '../../../src/ingest/named-media.ts';
import type { Dialog } from '../../../src/store/dialogs/dialog.ts';
import { STATE } from '../../../src/store/dialogs/dialog-state.ts';
import { DialogStore } from '../../../src/store/dialogs/dialog-store.ts';
import { EndpointIndex } from '../../../src/store/media/endpoint-index.ts';
import { countAlive } from '../../helpers/live-heap.ts';
import { dialogInit } from '../store/dialogs/dialog-init.ts';

const NO_CODECS = { names: [], formats: [] };
const SECOND = 1_000_000;
const DIALOGS = 100;

function kit(room = 100) {
  const told: string[] = [];
  let used = 0;
  const media = new NamedMedia((endpoints, isNamed) => {
    for (let at = 0; at < endpoints.length; at += MEDIA_BYTES) {
      const isV6 = endpoints.subarray(at + 4, at + 16).some((b) => b !== 0);
      const port = ((endpoints[at + 16] ?? 0) << 8) | (endpoints[at + 17] ?? 0);
      told.push(`${isNamed ? '+' : '-'}${ipText(endpoints, at, isV6 ? 6 : 4)}:${port}`);
      used += isNamed ? 1 : -1;
    }
    const over = isNamed ? Math.max(0, used - room) : 0;
    used -= over;
    return over;
  });
  const dialogs: DialogStore = new DialogStore(DIALOGS, (d) => {
    endpoints.remove(d);
    dialogs.sdp.free(d);
    media.onGone(d);
  });
  const endpoints = new EndpointIndex(dialogs);
  const open = (callId: string): Dialog => dialogs.open(dialogInit(callId, { state: STATE.InCall }));
  const name = (d: Dialog, address: string, port: number): void => {
    const key = endpointKeyFromText(address, port) ?? assert.fail(address);
    endpoints.add(key, { dialog: d, fromUs: 0, codecs: NO_CODECS, mediaType: 'audio', isSrtp: false, line: 0 });
    media.onClaim(key, d);
  };
  const move = (d: Dialog, state: number, atUs: number): void => {
    dialogs.setState(d, state);
    media.onChange(d, atUs);
  };
  const news = (): string[] => {
    media.flush();
    return told.splice(0);
  };
  return { media, open, name, move, news };
}

test('named once however often it is said, forgotten 32 seconds after the call', () => {
  const { media, open, name, move, news } = kit();
  const d = open('a');
  name(d, '192.0.2.1', 4000);
  name(d, '192.0.2.1', 4000);
  name(d, '2001:db8::7', 4002);
  assert.deepEqual(news(), ['+192.0.2.1:4000', '+2001:db8::7:4002']);
  move(d, STATE.Completed, 5 * SECOND);
  media.expire(36 * SECOND);
  assert.deepEqual(news(), []);
  media.expire(37 * SECOND);
  assert.deepEqual(news().sort(), ['-192.0.2.1:4000', '-2001:db8::7:4002']);
  assert.equal(media.size, 0);
});

test('an endpoint of two calls stays until both are gone', () => {
  const { media, open, name, move, news } = kit();
  const [a, b] = [open('a'), open('b')];
  name(a, '192.0.2.1', 4000);
  name(b, '192.0.2.1', 4000);
  move(a, STATE.Completed, 0);
  media.expire(60 * SECOND);
  assert.deepEqual(news(), ['+192.0.2.1:4000']);
  media.onGone(b);
  media.onGone(b);
  assert.deepEqual(news(), ['-192.0.2.1:4000']);
});

test('a call that goes on after it failed names its endpoints again', () => {
  const { media, open, name, move, news } = kit();
  const d = open('a');
  name(d, '192.0.2.1', 4000);
  move(d, STATE.Failed, 0);
  move(d, STATE.Trying, 5 * SECOND);
  media.expire(39 * SECOND);
  assert.deepEqual(news(), ['+192.0.2.1:4000'], 'it went on before the time was up');
  move(d, STATE.Failed, 40 * SECOND);
  media.expire(72 * SECOND);
  assert.deepEqual(news(), ['-192.0.2.1:4000']);
  move(d, STATE.Trying, 80 * SECOND);
  assert.deepEqual(news(), ['+192.0.2.1:4000']);
});

test('a description that comes after the end names nothing; a full map is counted', () => {
  const { media, open, name, move, news } = kit(1);
  const d = open('a');
  name(d, '192.0.2.1', 4000);
  name(d, '192.0.2.1', 4002);
  news();
  assert.equal(media.refused, 1);
  move(d, STATE.Completed, 0);
  name(d, '192.0.2.1', 4004);
  assert.deepEqual(news(), []);
});

test('an endpoint that comes and goes before the filter is told is no news', () => {
  const { media, open, name, news } = kit();
  const [a, b] = [open('a'), open('b')];
  name(a, '192.0.2.1', 4000);
  media.onGone(a);
  assert.deepEqual(news(), []);
  name(a, '192.0.2.1', 4002);
  assert.deepEqual(news(), ['+192.0.2.1:4002']);
  media.onGone(a);
  name(b, '192.0.2.1', 4002);
  assert.deepEqual(news(), []);
});

test('a dialog that is evicted while its endpoints linger leaves no memory behind', async () => {
  const { media, open, name, move } = kit();
  const seen: WeakRef<Dialog>[] = [];
  for (let i = 0; i < 20 * DIALOGS; i++) {
    const d = open(`call-${i}`);
    name(d, '192.0.2.1', 4000 + 2 * i);
    move(d, STATE.Completed, i);
    seen.push(new WeakRef(d));
  }
  const alive = await countAlive(seen);
  assert.ok(alive <= DIALOGS, `${alive} dialogs are alive`);
  assert.equal(media.size, DIALOGS);
});

test('a call that ends once more keeps its endpoints for as long again', () => {
  const { media, open, name, move, news } = kit();
  const d = open('a');
  name(d, '192.0.2.1', 4000);
  move(d, STATE.Failed, 0);
  move(d, STATE.Trying, 5 * SECOND);
  move(d, STATE.Failed, 20 * SECOND);
  media.expire(51 * SECOND);
  assert.deepEqual(news(), ['+192.0.2.1:4000']);
  media.expire(52 * SECOND);
  assert.deepEqual(news(), ['-192.0.2.1:4000']);
});
