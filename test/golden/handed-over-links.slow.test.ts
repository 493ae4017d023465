/** Every link layer and way of carrying SIP and RTP: nothing of the original is left when it is handed over. */
import { test } from 'node:test';
import { decodeMatrixCases } from '../../fixtures/build/decode-matrix.ts';
import { assertNothingLeft } from '../helpers/leaks.ts';

test('nothing is left of any way in which calls are carried', (t) => assertNothingLeft(t, decodeMatrixCases()));
