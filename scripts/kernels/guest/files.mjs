// Capture files are read, whatever the kernel can do.
import { calltap, claim } from './agent.mjs';

const agent = calltap('-I', '/calltap/fixtures/demo/demo.pcap', '--json');
const code = await agent.ended;
const dialogs = agent.stdout.split('\n').filter((line) => line.startsWith('{')).length;
claim('files', code === 0 && dialogs > 0, `${dialogs} dialogs`, agent.stderr);
