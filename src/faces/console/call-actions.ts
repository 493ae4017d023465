/** What can be taken away from a call: its packets, audio, report, container, and a link. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import { whyOf } from './asking.ts';
import type { CallPlace } from './call-tabs.ts';
import { callHash } from './call-tabs.ts';
import { copied } from './copy.ts';
import { hashOf } from './route.ts';
import { fetchFrom, ofCall } from './service.ts';
import { download } from './table-file.ts';
import { shown } from './words.ts';

/** A name that every file system takes. */
function fileName(callId: string, ending: string): string {
  return `${callId
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[.-]+/, '_')
    .slice(0, 80)}${ending}`;
}

/** What the file lacks, and how much was replaced in it. */
type Said = { readonly lacks: string; readonly report: string };

/** Fetches with the key in the header, and hands the bytes to the browser's downloads. Gives what the service says of the file. */
async function save(path: string, name: string): Promise<Said> {
  const response = await fetchFrom(path);
  download(await response.blob(), name);
  const said = (what: string): string => response.headers.get(`x-service-capture-${what}`) ?? '';
  return { lacks: said('lacks'), report: said('anonymized') };
}

export function CallActions({ place }: { readonly place: CallPlace }): ComponentChild {
  const { callId, hasLegs } = place;
  const [said, setSaid] = useState('');
  const [isBusy, setBusy] = useState(false);
  const legs = hasLegs ? 'legs=true' : '';
  const run = (work: () => Promise<string>): void => {
    setBusy(true);
    setSaid('');
    work()
      .then(setSaid, (error: unknown) => setSaid(whyOf(error)))
      .finally(() => setBusy(false));
  };
  const button = (title: string, work: () => Promise<string>): ComponentChild =>
    h('button', { type: 'button', disabled: isBusy, onClick: () => run(work) }, title);
  const file = (title: string, path: string, ending: string): ComponentChild =>
    button(title, async () => {
      const { lacks } = await save(path, fileName(callId, ending));
      return lacks === '' ? `${title} is saved.` : `${title} is saved; it lacks: ${lacks}`;
    });
  return h(
    'div',
    { class: 'bar actions' },
    button('For somebody else, anonymized', async () => {
      const { lacks, report } = await save(
        ofCall(callId, `/capture?anonymize=true${legs === '' ? '' : `&${legs}`}`),
        'anonymized.pcapng',
      );
      return `The capture is saved. It names nobody: ${report}${lacks === '' ? '' : `; it lacks: ${lacks}`}.`;
    }),
    file('Capture', ofCall(callId, `/capture?${legs}`), '.pcapng'),
    file('WAV', ofCall(callId, '/audio'), '.wav'),
    file('Report', ofCall(callId, `/report?layout=markdown${legs === '' ? '' : `&${legs}`}`), '.md'),
    button('Save as page', async () => {
      await save(ofCall(callId, `/page?${legs}`), fileName(callId, '.html'));
      return 'The page is saved. Who gets it needs no key.';
    }),
    button('Page, anonymized', async () => {
      await save(ofCall(callId, `/page?anonymize=true${legs === '' ? '' : `&${legs}`}`), 'anonymized.html');
      return 'The page is saved. It names nobody, and says how much was replaced.';
    }),
    file('vCon', `v1/dialogs/${encodeURIComponent(callId)}/vcon`, '.vcon.json'),
    button('Copy link', async () => {
      const link = new URL(callHash(place), location.href).href;
      return copied(link, 'The link is copied. Who opens it needs a key too.');
    }),
    h('a', { class: 'button', href: hashOf('compare', '', { a: callId }) }, 'Compare with\u2026'),
    h('span', { role: 'status', class: 'said' }, isBusy ? 'Fetching\u2026' : shown(said)),
  );
}
