/**
 * A page of another site in a browser, with all that it may ask a service on loopback by: nothing of what it can see tells it
 * whether a call exists, nothing is shown in a frame, and no question is begun. A link from it to the console works.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { FULL_DIALOG } from '../api/documents.ts';
import { fakeReaders } from '../api/fake-readers.ts';
import { startApi } from '../api/running-api.ts';
import { asJson } from '../helpers/json.ts';
import { PATIENCE_MS } from '../helpers/patience.ts';
import { browser, closeBrowser, skipWithoutChromium } from './browser.ts';

const skip = skipWithoutChromium;
after(closeBrowser);

/** What a page can ask an address by, each with what it then sees. `seen` is called once. */
const SCRIPT = `
  function element(name, attributes, parent, seen) {
    const e = document.createElement(name);
    for (const type of ['load', 'error', 'loadedmetadata', 'abort'])
      e.addEventListener(type, () => seen(type + ' ' + (e.naturalWidth ?? e.duration ?? '')));
    Object.assign(e, attributes);
    parent.append(e);
    return e;
  }
  const PROBE = {
    img: (url, seen) => element('img', { src: url }, document.body, seen),
    script: (url, seen) => element('script', { src: url }, document.body, seen),
    style: (url, seen) => element('link', { rel: 'stylesheet', href: url }, document.head, seen),
    module: (url, seen) => import(url).then(() => seen('module'), (e) => seen(e.name)),
    font: (url, seen) => new FontFace('f', 'url(' + url + ')').load().then(() => seen('font'), (e) => seen(e.name)),
    iframe: (url, seen) => {
      const e = element('iframe', { src: url }, document.body, (type) => {
        let inside;
        try { inside = e.contentDocument === null ? 'apart' : 'same'; } catch (error) { inside = error.name; }
        seen([type, inside, e.contentWindow.length].join(' '));
      });
    },
    object: (url, seen) => element('object', { data: url }, document.body, seen),
    embed: (url, seen) => element('embed', { src: url }, document.body, seen),
    audio: (url, seen) => element('audio', { src: url, preload: 'auto' }, document.body, seen),
    video: (url, seen) => element('video', { src: url, preload: 'auto' }, document.body, seen),
    prefetch: (url, seen) => element('link', { rel: 'prefetch', href: url }, document.head, seen),
    preload: (url, seen) => element('link', { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: url }, document.head, seen),
    fetch: (url, seen) => fetch(url, { mode: 'no-cors' }).then((r) => seen(r.type + r.status), (e) => seen(e.name)),
    cors: (url, seen) => fetch(url).then((r) => seen(r.type + r.status), (e) => seen(e.name)),
    keyed: (url, seen) => fetch(url, { headers: { authorization: 'Bearer x' } }).then((r) => seen(r.status), (e) => seen(e.name)),
    events: (url, seen) => {
      const e = new EventSource(url);
      e.onopen = () => seen('open');
      e.onerror = () => { seen('error ' + e.readyState); e.close(); };
    },
    socket: (url, seen) => {
      const e = new WebSocket(url.replace('http', 'ws'));
      e.onopen = () => seen('open');
      e.onclose = ({ code, wasClean }) => seen('close ' + code + wasClean);
    },
    form: (url, seen) => {
      const target = 'f' + Math.random();
      const frame = element('iframe', { name: target }, document.body, () => undefined);
      const form = Object.assign(document.createElement('form'), { action: url, method: 'post', enctype: 'text/plain', target });
      document.body.append(form);
      frame.addEventListener('load', () => seen('load ' + frame.contentWindow.length));
      form.submit();
    },
    worker: (url, seen) => {
      try { new Worker(url).onerror = () => seen('error'); } catch (e) { seen(e.name); }
    },
    open: (url, seen) => {
      const w = window.open(url);
      // What is opened gives up its opener: it looks closed.
      const look = setInterval(() => {
        if (w !== null && !w.closed) return;
        clearInterval(look);
        seen(w === null ? 'null' : [w.closed, w.length].join(' '));
      }, 20);
    },
  };
  window.probe = (url, names) => Promise.all(names.map((name) => new Promise((resolve) => {
    let isOver = false;
    const seen = (what) => {
      if (isOver) return;
      isOver = true;
      resolve(name + ': ' + what);
    };
    PROBE[name](url, seen);
    setTimeout(() => seen('nothing'), ${PATIENCE_MS});
  })));
`;

const PROBES = [
  ...['img', 'script', 'style', 'module', 'font', 'iframe', 'object', 'embed', 'audio', 'video', 'prefetch', 'preload'],
  ...['fetch', 'cors', 'keyed', 'events', 'socket', 'form', 'worker'],
];

async function otherSite(t: TestContext, body = ''): Promise<number> {
  const server: Server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? `<!doctype html><body>${body}<script>${SCRIPT}</script>` : '');
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function openPage(t: TestContext, url: string): Promise<Page> {
  const context = await (await browser()).newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  return page;
}

/** Readers, and the questions they were asked. */
function watchedReaders() {
  const asked: string[] = [];
  const readers = new Proxy(fakeReaders(), {
    get: (target, name) => {
      asked.push(String(name));
      return Reflect.get(target, name);
    },
  });
  return { readers, asked };
}

const log = (): void => undefined;

test('a call that is here and one that is not look alike to a page of another site', { skip }, async (t) => {
  const { readers, asked } = watchedReaders();
  const { api, port } = await startApi(t, { readers, ask: { log }, hasConsole: true, mcp: { credentials: null, log } });
  const elsewhere = await otherSite(t);
  const patterns = [api.openApi(), api.askOpenApi()].flatMap((text) =>
    Object.keys(asJson(asJson(JSON.parse(text))['paths'])),
  );
  const routes = patterns.filter((path) => /\{(?:call_id|selector)\}/.test(path));
  assert.ok(routes.length > 10, routes.join(' '));
  asked.length = 0;
  const seen = async (path: string, probes: readonly string[]): Promise<readonly string[]> => {
    // By its name, so that the page is of another site than the address that it asks.
    const page = await openPage(t, `http://localhost:${elsewhere}/`);
    const url = `http://127.0.0.1:${port}${path}`;
    const found = await page.evaluate(`probe(${JSON.stringify(url)}, ${JSON.stringify(probes)})`);
    await page.context().close();
    return found as string[];
  };
  for (const [i, route] of routes.entries()) {
    // All of them on the first route, then those by which a page sees most.
    const probes = i === 0 ? PROBES : ['img', 'script', 'iframe', 'fetch', 'prefetch'];
    const of = (callId: string): Promise<readonly string[]> =>
      seen(route.replace(/\{\w+\}/, encodeURIComponent(callId)), probes);
    const here = await of(FULL_DIALOG.call_id);
    assert.ok(!here.some((line) => line.endsWith('nothing')), here.join('\n'));
    assert.deepEqual(here, await of('nobody'), route);
    // By itself: what it opens puts the page into the background.
    if (i === 0) {
      const opened = await seen(route.replace(/\{\w+\}/, FULL_DIALOG.call_id), ['open']);
      assert.deepEqual(
        [opened, await seen(route.replace(/\{\w+\}/, 'nobody'), ['open'])],
        [['open: true 0'], ['open: true 0']],
      );
    }
  }
  for (const path of ['/v1/report', '/ask/calls?q=state:Failed', '/metrics', '/mcp']) {
    const [frame = ''] = await seen(path, ['iframe']);
    assert.match(frame, /^iframe: load +apart 0$/, path);
  }
  assert.deepEqual(asked, [], 'nobody was asked for anything');
  assert.deepEqual(await seen('/health', ['fetch']), ['fetch: TypeError'], 'health is not read either');
});

test('neither a page of this site nor any other puts an answer into a frame', { skip }, async (t) => {
  const { port } = await startApi(t, { ask: { log }, hasConsole: true });
  const elsewhere = await otherSite(t);
  for (const host of ['127.0.0.1', 'localhost']) {
    const page = await openPage(t, `http://${host}:${elsewhere}/`);
    for (const path of ['/v1/report', '/v1/dialogs', '/console/', '/health', '/nowhere']) {
      const shown = page.waitForEvent('framenavigated', (frame) => frame !== page.mainFrame());
      await page.evaluate(
        `document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://127.0.0.1:${port}${path}' }))`,
      );
      assert.match((await shown).url(), /^chrome-error:/, `${host} ${path}`);
    }
  }
});

test('a link from a ticket opens the console', { skip }, async (t) => {
  const { port } = await startApi(t, { ask: { log }, hasConsole: true });
  const elsewhere = await otherSite(t, `<a href="http://127.0.0.1:${port}/console/">the call</a>`);
  const page = await openPage(t, `http://localhost:${elsewhere}/`);
  await page.click('a');
  await page.waitForURL(`http://127.0.0.1:${port}/console/**`);
  assert.match(await page.title(), /calltap/i);
  const data = await openPage(t, `http://localhost:${elsewhere}/`);
  await data.evaluate(`location = 'http://127.0.0.1:${port}/v1/dialogs'`);
  await data.waitForURL('**/v1/dialogs');
  assert.match(await data.innerText('body'), /foreign-origin/);
});
