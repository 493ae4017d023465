// --uprobe-list: whether probes work here, or which right is missing; and that a program that speaks TLS is named.
import { calltap, claim, Running } from './agent.mjs';
import { hasRight } from './users.mjs';

const peer = new Running(['openssl', 's_server', '-accept', '5061', '-nocert', '-quiet']);
const agent = calltap('--uprobe-list');
const code = await agent.ended;
const [, verdict = agent.stderr] = /^probes (.*)$/m.exec(agent.stdout) ?? [];
const isWorking = code === 0 && verdict.startsWith('work here: ');
// Who lacks a right is told which one; root lacks none.
const isExplained = !hasRight('sys_admin') && /CAP_\w+/.test(verdict);
claim('probes', isWorking || isExplained, isWorking ? verdict.slice(11) : verdict);
const row = agent.stdout.split('\n').find((line) => /\bopenssl\b/.test(line)) ?? '';
// Where probes work it is observable; where they do not, that is what its row says. Others' processes need a right.
const isListed = isWorking ? / yes,/.test(row) : row !== '' || !hasRight('sys_ptrace');
claim('list', isListed, 'names openssl', `openssl is not named: ${row}${agent.stdout}`);
peer.child.kill();
