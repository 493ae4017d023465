/** Why a question has no answer. */
import assert from 'node:assert/strict';
import { Refusal } from '../../src/explore/refusal.ts';

export async function refusalOf(asked: () => unknown): Promise<Refusal> {
  try {
    await asked();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error;
  }
  return assert.fail('it answered');
}
