/** The calls that other tests make: nothing of the original is left when they are handed over. */
import { test } from 'node:test';
import { callCases } from '../../fixtures/build/calls.ts';
import { assertNothingLeft } from '../helpers/leaks.ts';

test('nothing is left of any call that tests make', (t) => assertNothingLeft(t, callCases()));
