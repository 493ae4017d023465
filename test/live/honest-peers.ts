/** Runs the honest of attack-peers.ts as a program: prints what they were granted. */
import { honest } from './attack-peers.ts';
import { ADDRESS } from './lab.ts';

process.stdout.write(`${JSON.stringify(await honest(ADDRESS.a.v4))}\n`);
