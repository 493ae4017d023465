// Makes the SIP plugin of janus talk, over its HTTP interface: it registers over TLS, then sends messages, one after the
// other. Runs on janus's host.
//
//   node janus.mjs API USER PROXY MESSAGES PACE_MS      ends with 1 where janus refuses something
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const [api, user, proxy, messages, paceMs] = process.argv.slice(2);

async function post(path, body) {
  const text = JSON.stringify({ ...body, transaction: randomUUID() });
  const response = await fetch(`${api}${path}`, { method: 'POST', body: text });
  const answered = await response.json();
  if (answered.janus === 'error') throw new Error(JSON.stringify(answered.error));
  return answered;
}

/** Waits for an event of the SIP plugin, which hears of its requests later. */
async function event(session, name) {
  for (;;) {
    const heard = await (await fetch(`${api}/${session}?maxev=1`)).json();
    const data = heard.plugindata?.data;
    if (data?.result?.event === name) return;
    if (data?.error !== undefined || data?.result?.event === 'registration_failed')
      throw new Error(JSON.stringify(data));
  }
}

async function talk() {
  const session = (await post('', { janus: 'create' })).data.id;
  const handle = (await post(`/${session}`, { janus: 'attach', plugin: 'janus.plugin.sip' })).data.id;
  const ask = (body) => post(`/${session}/${handle}`, { janus: 'message', body });
  await ask({ request: 'register', username: user, secret: 'x', proxy, outbound_proxy: proxy, sips: true });
  await event(session, 'registered');
  for (let number = 0; number < Number(messages); number++) {
    await ask({ request: 'message', uri: user, content: `message ${number}` });
    await event(session, 'messagesent');
    await sleep(Number(paceMs));
  }
}

try {
  await talk();
} catch (error) {
  process.stderr.write(`janus: ${error.message}\n`);
  process.exitCode = 1;
}
