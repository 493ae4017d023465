/**
 * The detection raises no alert over captures of honest traffic, and finds the attackers of those that hold an attack.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ServiceError } from '../../src/core/errors.ts';
import { Security } from '../../src/security/detection.ts';
import { loadNative } from '../../src/sources/native.ts';
import { capturesFolder, skipWithoutCaptures } from '../helpers/captures.ts';
import { configOf, openSession } from '../helpers/open-session.ts';

/** Captures that raise alerts, and which. */
const RAISED: Readonly<Record<string, readonly string[]>> = {
  'honeynet__forensic-challenge-4.pcap': ['scanner 172.25.105.43'],
};

/** The same of the laboratory, whose captures lie in a folder beside the others. */
const LAB_RAISED: Readonly<Record<string, readonly string[]>> = {
  'reg_flood.pcap': ['registration flood 10.99.0.40', 'scanner 10.99.0.40'],
  'scanner.pcap': ['scanner 10.99.0.40'],
};

/** At least so many captures hold SIP, so that the comparison cannot quietly become one of nothing. */
const WITH_SIP = 60;

/** Alerts of one capture as `kind source`, each once. Mirrored messages count too: the more is looked at the better. */
async function alertsOf(path: string): Promise<{ alerts: string[]; sip: number; said: string[] }> {
  const argv = ['-I', path, '-E', '--kill-scanner', '--fail2ban', '--security-mirrored', '--fraud'];
  const said: string[] = [];
  const lines: string[] = [];
  const out = { write: (l: string) => void lines.push(l), written: 0, lost: 0 };
  const sinks = { native: loadNative(), pid: 1, out, say: (l: string) => said.push(l) };
  const session = openSession(argv, {}, { security: new Security(configOf(argv), sinks, false) });
  try {
    await session.read([path], () => undefined);
  } catch (error) {
    // A few are there because they are broken.
    if (!(error instanceof ServiceError)) throw error;
  } finally {
    session.close();
  }
  const sip = session.ingest.tracker.counts.messages;
  const alerts = said.map((line) => /^alert: (.+?) from=(\S+) /.exec(line)).map((m) => `${m?.[1]} ${m?.[2]}`);
  for (const line of lines) assert.match(line, /^\S+ calltap\[1\]: (?:SCANNER|REG_FLOOD) from=\S+ /);
  return { alerts: [...new Set(alerts)].sort(), sip, said };
}

const folder = capturesFolder();
const lab = folder === null ? null : join(folder, '../lab/captures');

function captures(path: string): string[] {
  return readdirSync(path).filter((name) => /\.(?:pcap|pcapng|cap)(?:\.gz)?$/.test(name));
}

describe('alerts over captures', { skip: skipWithoutCaptures(), timeout: 240_000 }, () => {
  let withSip = 0;
  const places = [
    [folder ?? '', RAISED],
    [lab ?? '', LAB_RAISED],
  ] as const;
  for (const [place, raised] of places) {
    if (!existsSync(place)) continue;
    for (const name of captures(place)) {
      it(name, async () => {
        const { alerts, sip, said } = await alertsOf(join(place, name));
        if (sip > 0) withSip++;
        assert.deepEqual(alerts, raised[name] ?? [], said.slice(0, 3).join('\n'));
      });
    }
    it(`the captures that raise alerts are in ${place}`, () => {
      const names = captures(place);
      assert.deepEqual(
        Object.keys(raised).filter((name) => !names.includes(name)),
        [],
      );
    });
  }
  after(() => assert.ok(withSip >= WITH_SIP, `only ${withSip} captures held SIP`));
});
