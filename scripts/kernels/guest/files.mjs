// Capture files are read, whatever the kernel can do.
import { calltap, claim } from './agent.mjs';
import { place } from './users.mjs';

const agent = calltap('-I', place.demo, '--json');
const code = await agent.ended;
const dialogs = agent.stdout.split('\n').filter((line) => line.startsWith('{')).length;
claim('files', code === 0 && dialogs > 0, `${dialogs} dialogs`, agent.stderr);
