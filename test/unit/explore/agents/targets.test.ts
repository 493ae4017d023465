/** The agents that `[agents]` names: where each answers and with which key; each mistake is one line that names the entry. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { configErrorLine } from '../../../../src/config/config.ts';
import { ServiceError } from '../../../../src/core/errors.ts';
import { agentTargets, MAX_AGENTS } from '../../../../src/explore/agents/targets.ts';
import { certified } from '../../../helpers/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'calltap-agents-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

function targets(agent: string[], agentKeyFile: string[] = [], agentCa: string[] = []) {
  return agentTargets({ agent, agentKeyFile, agentCa });
}

function mistake(...options: Parameters<typeof targets>): string {
  try {
    targets(...options);
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    const line = configErrorLine(error);
    assert.match(line, /^calltap: [^\n]+: [^\n]+; [^\n]+$/);
    return line;
  }
  return assert.fail('accepted');
}

test('each agent has its address, its key and its CA', () => {
  certified(folder, 'ours', 'localhost');
  const ca = join(folder, 'ours.pem');
  const all = targets(
    ['sbc1=https://sbc1.example.net:8443/calltap', 'sbc.2_x-y=http://127.0.0.1:9001', 'v6=http://[::1]:9002'],
    [`sbc1=${file('key', 'open-sesame\n')}`],
    [`sbc1=${ca}`],
  );
  assert.deepEqual([...all.keys()], ['sbc1', 'sbc.2_x-y', 'v6']);
  const { host, port, isTls, path, key, ca: trusted } = all.get('sbc1') ?? assert.fail();
  assert.deepEqual([host, port, isTls, path], ['sbc1.example.net', 8443, true, '/calltap']);
  assert.deepEqual([key, trusted], [{ text: 'open-sesame', isLocal: false }, readFileSync(ca, 'utf8').trim()]);
  const tunnel = all.get('sbc.2_x-y') ?? assert.fail();
  assert.deepEqual([tunnel.host, tunnel.port, tunnel.isTls, tunnel.key], ['127.0.0.1', 9001, false, null]);
});

test('each mistake names its entry', () => {
  const key = file('key', 'k');
  for (const [options, line] of [
    [[['=https://a']], /^calltap: agent : a name has 1 to 64 letters/],
    [[['a b=https://a']], /^calltap: agent a b: a name has 1 to 64/],
    [[[`${'x'.repeat(65)}=https://a`]], /: a name has 1 to 64/],
    [[['a\u001b[2J=https://a']], /^calltap: agent a\?\[2J: a name has/],
    [[['a=']], /^calltap: agent a: the URL is missing/],
    [[['a=https://a', 'a=https://b']], /^calltap: agent a: it appears more than once/],
    [[['a=a:8080']], /^calltap: agent a: its url begins with neither http nor https/],
    [[['a=ftp://a']], /^calltap: agent a: it begins with neither http nor https/],
    [[['a=https://me:secret@a']], /^calltap: agent a: a user and a password do not belong there/],
    [[['a=http://192.0.2.1:8080']], /^calltap: agent a: the question would go over http to 192\.0\.2\.1, which/],
    [[['a=http://192.0.2.1:8080'], [`a=${key}`]], /^calltap: agent a: the key would go over http to 192\.0\.2\.1/],
    [[['a=https://a'], ['b=k']], /^calltap: agent b: it has no url/],
    [[['a=https://a'], [], ['b=k']], /^calltap: agent b: it has no url/],
    [[['a=https://a'], ['a=/nowhere']], /^calltap: agent a: key_file \/nowhere: there is no such file/],
    [[['a=https://a'], [`a=${file('blank', ' \n')}`]], /^calltap: agent a: key_file .*: it is empty/],
    [[['a=https://a'], [`a=${file('odd', 'a b')}`]], /^calltap: agent a: key_file .*: the key does not fit into/],
    [[['a=https://a'], [], [`a=${key}`]], /^calltap: agent a: ca .*: it holds no certificate/],
  ] as const) {
    const [agent, keyFiles = [], cas = []] = options;
    const said = mistake([...agent], [...keyFiles], [...cas]);
    assert.match(said, line);
    assert.ok(!said.includes('secret'), said);
  }
});

test('there are at most so many', () => {
  const many = Array.from({ length: MAX_AGENTS + 1 }, (_, i) => `a${i}=https://a`);
  assert.equal(targets(many.slice(1)).size, MAX_AGENTS);
  assert.match(mistake(many), /^calltap: --agent: there are more than 200 agents;/);
});
