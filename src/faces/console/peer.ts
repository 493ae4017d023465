/** The peer that bans: its state, what it keeps out, and an operator's ban or unban, which is asked about before it is done. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { BannedList, PeerAbsent, PeerActionAnswer, PeerStatus } from '../../contract/index.ts';
import { useFetched, whyOf } from './asking.ts';
import { Waiting } from './parts.ts';
import { sentence } from './sentence.ts';
import { tell } from './service.ts';
import { Table } from './table.ts';
import { counted, moment, shown } from './words.ts';

/** Why the peer does not do it, in words. */
const REFUSALS: Readonly<Record<string, string>> = {
  local: 'the address is one of this host',
  declared: 'the address is declared as one that is never banned',
  kernel: 'the kernel did not take it',
  'not-blocked': 'the address is not banned',
};

type Wish = { readonly action: 'ban' | 'unban'; readonly ip: string };

export function Peer(): ComponentChild {
  const status = useFetched<PeerStatus | PeerAbsent>('v1/peer/status');
  const banned = useFetched<BannedList | PeerAbsent>('v1/peer/banned');
  const input = useRef<HTMLInputElement>(null);
  const [wish, setWish] = useState<Wish | null>(null);
  const [said, setSaid] = useState('');
  const peer = status.value;
  const body = (): ComponentChild => {
    if (status.error?.startsWith('Nothing is served') === true)
      return h('p', { class: 'note' }, 'This build has no peer.');
    if (peer === undefined) return h(Waiting, { fetched: status, what: 'The peer' });
    if (!peer.installed)
      return h('p', { class: 'note' }, sentence(`calltap cannot ban: it finds no peer program. ${peer.reason}`));
    return [
      h(
        'p',
        null,
        `Enforcement is ${peer.enforcement}; ${counted(peer.blocked_now, 'address', 'addresses')} blocked now; version ${shown(peer.version)}.`,
      ),
      h(
        'form',
        {
          class: 'bar',
          onSubmit: (event: Event) => {
            event.preventDefault();
            const ip = input.current?.value.trim() ?? '';
            if (ip !== '') setWish({ action: 'ban', ip });
          },
        },
        h('label', { for: 'ban' }, 'IPv4 address'),
        h('input', { id: 'ban', ref: input, type: 'text', autocomplete: 'off', maxLength: 15 }),
        h('button', { type: 'submit' }, 'Ban for an hour\u2026'),
      ),
      banned.value?.installed === true
        ? h(Table, {
            name: 'Banned',
            head: ['Address', '~Reason', '~Detail', 'Until', 'Enforced', ''],
            spare: ['Detail', 'Enforced'],
            rows: banned.value.rows.map((row) => [
              shown(row.ip),
              shown(row.reason ?? ''),
              shown(row.detail ?? ''),
              row.expires === null ? 'for ever' : when(row.expires),
              row.enforced ? 'yes' : '\u26a0 no',
              h('button', { type: 'button', onClick: () => setWish({ action: 'unban', ip: row.ip }) }, 'Unban\u2026'),
            ]),
          })
        : h(Waiting, { fetched: banned, what: 'What is banned' }),
    ];
  };
  const act = async ({ action, ip }: Wish): Promise<void> => {
    setWish(null);
    try {
      const { action: done } = await tell<PeerActionAnswer>(`v1/peer/${action}`, { ip });
      const why = REFUSALS[done.refused ?? ''] ?? 'the peer gave no reason';
      setSaid(done.applied ? `${action} of ${shown(ip)} is done.` : `${action} of ${shown(ip)} is refused: ${why}.`);
      status.again();
      banned.again();
    } catch (error) {
      setSaid(whyOf(error));
    }
  };
  return h(
    'section',
    { 'aria-label': 'Peer' },
    h('h2', null, 'Peer'),
    body(),
    wish === null
      ? null
      : h(
          'div',
          { class: 'note warn', role: 'alertdialog', 'aria-label': `Confirm the ${wish.action}` },
          h(
            'p',
            null,
            `${wish.action === 'ban' ? 'Ban' : 'Unban'} ${shown(wish.ip)}? It works at once, for all traffic of this address.`,
          ),
          h('button', { type: 'button', class: 'main', onClick: () => void act(wish) }, `Yes, ${wish.action}`),
          ' ',
          h('button', { type: 'button', onClick: () => setWish(null) }, 'No'),
        ),
    h('p', { role: 'status', class: 'said' }, said),
  );
}

function when(unixSecs: number): string {
  return moment(new Date(unixSecs * 1000).toISOString());
}
