/** Starts the console: one screen at a time by the address, the strip above all of them, and the question for a key. */
import type { ComponentChild } from 'preact';
import { h, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Call } from './call.ts';
import { tabOf } from './call-tabs.ts';
import { Calls } from './calls.ts';
import { Compare } from './compare.ts';
import { Findings } from './findings.ts';
import { Health } from './health.ts';
import { KeyGate } from './key-gate.ts';
import { Overview } from './overview.ts';
import { Registrations } from './registrations.ts';
import type { Route } from './route.ts';
import { routeOf } from './route.ts';
import { Security } from './security.ts';
import { whenKeyNeeded } from './service.ts';
import { Streams } from './streams.ts';
import { Strip } from './strip.ts';
import { applyTheme } from './theme.ts';
import { Trunks } from './trunks.ts';
import { noteScreen } from './way-back.ts';

function screenOf(route: Route): ComponentChild {
  switch (route.screen) {
    case 'call':
      return h(Call, {
        key: route.name,
        place: { callId: route.name, hasLegs: route.query.get('legs') === '1', tab: tabOf(route.query.get('tab')) },
      });
    case 'compare':
      return h(Compare, { a: route.query.get('a') ?? '', b: route.query.get('b') ?? '' });
    case 'findings':
      return h(Findings, null);
    case 'streams':
      return h(Streams, null);
    case 'trunks':
      return h(Trunks, { key: route.name, trunk: route.name, direction: route.query.get('direction') ?? 'out' });
    case 'registrations':
      return h(Registrations, null);
    case 'security':
      return h(Security, null);
    case 'health':
      return h(Health, null);
    case 'calls':
      return h(Calls, { q: route.query.get('q') ?? '', sort: route.query.get('sort') ?? '-created' });
    default:
      return h(Overview, { query: route.query });
  }
}

function Console(): ComponentChild {
  const [route, setRoute] = useState(routeOf(location.hash));
  /** Null while no key is asked for, else what the service said of the last one. */
  const [refusal, setRefusal] = useState<string | null>(null);
  /** Another one where all is to be read anew. */
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const moved = (): void => {
      noteScreen(location.hash);
      setRoute(routeOf(location.hash));
    };
    addEventListener('hashchange', moved);
    whenKeyNeeded(setRefusal);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const forget = (): void => {
    setRefusal(null);
    setTurn((n) => n + 1);
  };
  if (refusal !== null) return h(KeyGate, { refusal, onGiven: forget });
  return h('div', { class: 'frame', key: turn }, h(Strip, { screen: route.screen, onForget: forget }), screenOf(route));
}

applyTheme();
noteScreen(location.hash);
const root = document.getElementById('console');
if (root !== null) render(h(Console, null), root);
