/** Asks for the key of the API, once: shown when an answer needs one. */
import type { ComponentChild } from 'preact';
import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useKey } from './service.ts';

/** What a header can carry; the service refuses other keys too. */
const SENDABLE = /^[\x21-\x7e]+$/;

type Props = { readonly refusal: string; readonly onGiven: () => void };

export function KeyGate({ refusal, onGiven }: Props): ComponentChild {
  const input = useRef<HTMLInputElement>(null);
  const kept = useRef<HTMLInputElement>(null);
  const [mistake, setMistake] = useState(refusal);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: Event): void => {
    event.preventDefault();
    const key = input.current?.value.trim() ?? '';
    if (!SENDABLE.test(key)) {
      setMistake('A key has no blanks and only ASCII characters.');
      return;
    }
    useKey(key, kept.current?.checked === true);
    onGiven();
  };
  return h(
    'main',
    { class: 'gate' },
    h(
      'form',
      { onSubmit: submit, autocomplete: 'off' },
      h('h1', null, 'calltap'),
      h('p', null, 'This service asks for a key: the one of --api-key, or a token of scope full.'),
      mistake === '' ? null : h('p', { class: 'note bad', role: 'alert', id: 'mistake' }, mistake),
      h('label', { for: 'key' }, 'Key'),
      h('input', {
        id: 'key',
        ref: input,
        type: 'password',
        autocomplete: 'off',
        spellcheck: false,
        'aria-describedby': mistake === '' ? undefined : 'mistake',
      }),
      h(
        'label',
        { class: 'check' },
        h('input', { type: 'checkbox', ref: kept }),
        ' Keep it until this tab is closed (session storage)',
      ),
      h('button', { type: 'submit', class: 'main' }, 'Open'),
    ),
  );
}
