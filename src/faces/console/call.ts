/** The screen of one call: its cause on top, what can be taken away, and a tab for each way to look at it. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { CallDocument } from '../../contract/index.ts';
import { useFetched, useStreams } from './asking.ts';
import { CallActions } from './call-actions.ts';
import { Cause, useHead } from './call-cause.ts';
import { CallFindings } from './call-findings.ts';
import { CallLadder } from './call-ladder.ts';
import { CallMessages } from './call-messages.ts';
import type { CallPlace } from './call-tabs.ts';
import { callHash, Tabs, tabOfKey } from './call-tabs.ts';
import { useShownMessage } from './call-trace.ts';
import { missingMedia } from './missing-media.ts';
import { usePageKeys } from './page-keys.ts';
import { Waiting } from './parts.ts';
import { Quality } from './quality.ts';
import { ofCall } from './service.ts';
import { wayBack } from './way-back.ts';
import { clock, counted, day, fixed, shown, span } from './words.ts';

export function Call({ place }: { readonly place: CallPlace }): ComponentChild {
  const { callId, hasLegs } = place;
  const call = useFetched<CallDocument>(ofCall(callId));
  usePageKeys((key) => {
    const tab = tabOfKey(key);
    if (key === 'Escape') location.hash = wayBack().hash;
    else if (key === 'x') location.hash = callHash({ ...place, hasLegs: !hasLegs });
    else if (tab !== undefined) location.hash = callHash({ ...place, tab });
    else return false;
    return true;
  });
  const { value } = call;
  const back = wayBack();
  return h(
    'main',
    { class: 'call' },
    h(
      'div',
      { class: 'bar' },
      h('a', { class: 'button', href: back.hash, title: 'Key Esc' }, `\u2190 ${back.title}`),
      h('h1', null, value === undefined ? shown(callId) : titleOf(value)),
    ),
    value === undefined ? h(Waiting, { fetched: call, what: 'The call' }) : h(Loaded, { call: value, place }),
  );
}

function titleOf({ method, from_display, to_display, ...of }: CallDocument): string {
  const [from, to] = [of.from ?? of.from_host, of.to ?? of.to_host];
  const party = (user = '', display = ''): string =>
    display === '' ? shown(user) : `${shown(display)} <${shown(user)}>`;
  return `${shown(method)} ${party(from, from_display)} \u2192 ${party(to, to_display)}`;
}

type LoadedProps = { readonly call: CallDocument; readonly place: CallPlace };

function Loaded({ call, place }: LoadedProps): ComponentChild {
  const { call_id: callId } = call;
  const head = useHead(callId);
  const streams = useStreams(call);
  const missing = missingMedia(call, streams);
  const trace = useShownMessage(call, place.hasLegs);
  const showMessage = (index: number): void => {
    trace.show({ call_id: callId, index });
    if (place.tab !== 'ladder') location.hash = callHash({ ...place, tab: 'ladder' });
  };
  const wrong = (head?.explanation ?? []).filter(({ finding }) => finding !== 'note').length;
  const worst = head?.call.mos_worst;
  const notes = {
    quality: missing.length > 0 ? 'no RTP' : worst === undefined ? '' : `MOS ${fixed(worst, 2)}`,
    messages: String(call.msg_count),
    findings: String(wrong),
  };
  const tabs = {
    ladder: () => h(CallLadder, { place, trace, streams, missing }),
    quality: () => h(Quality, { call, streams, missing }),
    messages: () => h(CallMessages, { call, trace }),
    findings: () => h(CallFindings, { call, head, onMessage: showMessage }),
  };
  return [
    h(Cause, { call, head, streams, place, onMessage: showMessage }),
    h(
      'p',
      { class: 'dim' },
      `${day(call.created_at)} ${clock(call.created_at, 3)}, ${span(call.duration_sec)}, ${counted(call.msg_count, 'message')}, `,
      h('span', { class: 'one' }, 'Call-ID'),
      ' ',
      h('span', { class: 'mono id' }, shown(callId)),
    ),
    h(CallActions, { place }),
    h(Tabs, { place, notes }),
    h('div', { id: 'panel', role: 'tabpanel', 'aria-labelledby': `tab-${place.tab}` }, tabs[place.tab]()),
  ];
}
