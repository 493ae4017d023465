/** Light or dark: as the system is, until the user says otherwise. */
const STORED = 'calltap-theme';
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function theme(): Theme {
  const stored = localStorage.getItem(STORED);
  return THEMES.find((name) => name === stored) ?? 'system';
}

/** Puts it on the page. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme();
}

/** The next of the three; gives its name. */
export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length] ?? 'system';
  localStorage.setItem(STORED, next);
  applyTheme();
  // What is drawn on a canvas takes its colours once.
  dispatchEvent(new Event('themechange'));
  return next;
}
