/** What the options say of metrics: groups, classes of phones, limits of trunks, the country code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionOptions } from '../../../src/app/run.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { numbersOfConfig } from '../../../src/config/numbers.ts';
import { readDeviceClass } from '../../../src/core/device-class.ts';
import { ok } from '../../../src/core/result.ts';
import { ServiceError } from '../../../src/core/errors.ts';
import { configOf } from '../../helpers/open-session.ts';

const SERVED = ['-I', 'a.pcap', '--metrics', '127.0.0.1:0'];
const TRUNK = ['--trunk', '192.0.2.1=acme'];

function wrong(argv: readonly string[]): string {
  try {
    sessionOptions(configOf([...SERVED, ...argv]));
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.message;
  }
  return assert.fail(`${argv.join(' ')} is taken`);
}

test('a wrong value is one line: option, reason, remedy', () => {
  assert.match(wrong(['--metrics-families', 'default,nosuch']), /^--metrics-families: there is no group nosuch; write some/);
  assert.match(wrong(['--country-code', '+49']), /^--country-code: \+49 is not a country code; write one to three/);
  assert.match(wrong(['--device-class', 'x=(']), /^--device-class x=\(: the pattern is no RE2 regular expression/);
  assert.match(wrong(['--device-class', 'other=a']), /other is no name of a class/);
  assert.match(wrong([...TRUNK, '--trunk-limit', 'nosuch=3']), /^--trunk-limit nosuch=3: there is no trunk nosuch; /);
  assert.match(wrong([...TRUNK, '--trunk-limit', 'acme=0']), /^--trunk-limit acme=0: it is not NAME=N/);
  const many = Array.from({ length: 51 }, (_, i) => ['--device-class', `c${i}=x${i}`]).flat();
  assert.match(wrong(many), /there are more than 50 classes/);
});

test('the configuration file has classes by name, and the limit beside names of trunks', () => {
  const toml = `
[metrics]
listen = "127.0.0.1:0"
families = "default,calls"
country_code = "49"
[devices]
snom = "(?i)^snom"
pbx = ["Asterisk", "FreeSWITCH"]
[trunks]
acme = "192.0.2.1"
limit = ["acme=30"]
`;
  const loaded = loadConfig({ argv: ['-I', 'a.pcap', '--config', 'x.toml'], env: {}, readFile: () => ok(toml) });
  assert.ok(loaded.ok);
  const numbers = numbersOfConfig(loaded.value.config, ['acme']);
  assert.deepEqual([...numbers.groups], ['service', 'capture', 'process', 'security', 'trunks', 'calls']);
  assert.deepEqual([...numbers.limits], [['acme', 30]]);
  assert.deepEqual(
    numbers.devices.map(({ name }) => name),
    ['snom', 'pbx', 'pbx'],
  );
  assert.ok(numbers.devices[2]?.fits('FreeSWITCH-mod_sofia/1.10'));
  assert.ok(!numbers.devices[0]?.fits('my snom'));
});

test('what nobody serves is not counted', () => {
  const counted = (argv: readonly string[]) => sessionOptions(configOf(argv)).numbers;
  assert.equal(counted(['-I', 'a.pcap', '--metrics-families', 'all', '--trunks']), null);
  assert.equal(counted(SERVED), null, 'the usual groups count what is counted anyway');
  assert.ok(counted([...SERVED, '--metrics-families', 'findings']) !== null);
});

test('a pattern that would take long is refused', () => {
  assert.equal(readDeviceClass('x=a{1000}').ok, false);
  assert.equal(readDeviceClass('=a').ok, false);
});
