/** What tshark shows of a capture, for tests of files that calltap writes. */
import { execFileSync, spawnSync } from 'node:child_process';

/** Why a test that asks tshark is skipped; false when it is there. */
export function skipWithoutTshark(): string | false {
  return spawnSync('tshark', ['--version'], { stdio: 'ignore' }).status === 0 ? false : 'tshark is not installed';
}

/** The SIP messages of a file in its order, a list of fields each; '' for a field that a message does not have. */
export function tsharkSip(path: string, fields: readonly string[]): string[][] {
  const args = ['-r', path, '-Y', 'sip', '-T', 'fields', ...fields.flatMap((field) => ['-e', field])];
  const text = execFileSync('tshark', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));
}
