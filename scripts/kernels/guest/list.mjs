// --uprobe-list: it says whether probes work here, and names a program that speaks TLS.
import { spawn } from 'node:child_process';
import { calltap, claim } from './agent.mjs';

const peer = spawn('openssl', ['s_client', '-connect', '127.0.0.1:1', '-quiet'], { stdio: 'ignore' });
peer.on('error', () => {});
const { code, stdout, stderr } = await calltap('--uprobe-list');
const [, verdict = stderr] = /^(probes .*)$/m.exec(stdout) ?? [];
claim('probes', code === 0, verdict.replace(/^probes work here: /, ''), verdict);
const row = stdout.split('\n').find((line) => /^\s*\d+\s+node\b/.test(line)) ?? '';
claim('list', / yes,/.test(row), 'node is observable', row === '' ? `node is not listed: ${stdout}` : row);
