// Programs that break easily, beside calltap of the user who is tried: each N times, best way of this kernel.
import { spawnSync } from 'node:child_process';
import { asUser, hasRight } from './users.mjs';

const [, , runs = '5'] = process.argv;
const folder = '/kernels/canaries';
// In an emulated machine calltap looks for new programs without a pause as long as canaries start: they go first.
const by = ['nice', '-n', '19', ...asUser([])];
const options = ['--mode', 'best', '--by', JSON.stringify(by), ...(hasRight('sys_admin') ? [] : ['--may-be-refused'])];
const { status } = spawnSync(process.execPath, [`${folder}/canary-main.js`, folder, '/calltap', runs, ...options], {
  stdio: 'inherit',
});
process.exitCode = status ?? 128;
