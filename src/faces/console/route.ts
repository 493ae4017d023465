/**
 * Where in the console one is: the part of the address after `#`, so that a link leads there. It holds filters and Call-IDs,
 * never a key.
 */
export type Route = { readonly screen: string; readonly name: string; readonly query: URLSearchParams };

/** `#/call/NAME?legs=1`; without one the overview, or the list where there is a filter, as links of before have it. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#\/?/, ''), '?');
  const [screen = '', name = ''] = splitOnce(path, '/');
  const asked = new URLSearchParams(query);
  const home = asked.has('q') ? 'calls' : 'overview';
  return { screen: screen === '' ? home : screen, name: decoded(name), query: asked };
}

/** The address of a screen; empty values are left out. */
export function hashOf(screen: string, name = '', query: Readonly<Record<string, string>> = {}): string {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  const text = given.toString();
  return `#/${screen}${name === '' ? '' : `/${encodeURIComponent(name)}`}${text === '' ? '' : `?${text}`}`;
}

function splitOnce(text: string, at: string): [string, string] {
  const i = text.indexOf(at);
  return i < 0 ? [text, ''] : [text.slice(0, i), text.slice(i + 1)];
}

/** A link may have been cut or typed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
