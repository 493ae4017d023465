/**
 * Capture time as a person reads it: local time of this host, or UTC.
 */

export type Clock = { readonly date: string; readonly time: string; readonly zone: string };

const two = (n: number): string => String(n).padStart(2, '0');

/** Date, time with milliseconds and offset (`+01:00`) of a capture time in microseconds. */
export function clockOf(us: number, isUtc: boolean): Clock {
  const at = new Date(Math.floor(us / 1000));
  const minutes = isUtc ? 0 : -at.getTimezoneOffset();
  // Shifted, its UTC fields are those of the zone.
  const shown = new Date(at.getTime() + minutes * 60_000);
  if (Number.isNaN(shown.getTime())) return { date: '-', time: '-', zone: '' };
  const text = shown.toISOString();
  const away = Math.abs(minutes);
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(away / 60))}:${two(away % 60)}`;
  const cut = text.indexOf('T');
  return { date: text.slice(0, cut), time: text.slice(cut + 1, -1), zone: isUtc ? 'Z' : zone };
}
