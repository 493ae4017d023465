/** The live reader on real interfaces: nothing that was sent is neither a record nor in a counter. */
import { test } from 'node:test';
import { buildLiveProgram, liveSkip, runLiveProgram } from './native-program.ts';

test('live capture in network namespaces', { skip: liveSkip() }, async (t) => {
  await runLiveProgram(t, buildLiveProgram(t, 'test_packet_live.slow'), []);
});

test('live capture of frames for others', { skip: liveSkip() }, async (t) => {
  await runLiveProgram(t, buildLiveProgram(t, 'test_packet_promiscuous.slow'), []);
});

test('what the kernel filter leaves tells silence from sound', { skip: liveSkip() }, async (t) => {
  await runLiveProgram(t, buildLiveProgram(t, 'test_packet_sound.slow'), []);
});

test('what a capture ring drops has a time, and it drops nothing while there is room', {
  skip: liveSkip(),
}, async (t) => {
  await runLiveProgram(t, buildLiveProgram(t, 'test_packet_drops.slow'), []);
});
