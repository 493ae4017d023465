/** The first `n` of what comes; what follows is not made. */
export function* take<T>(items: Iterable<T>, n: number): Generator<T> {
  let taken = 0;
  if (n <= 0) return;
  for (const item of items) {
    yield item;
    if (++taken >= n) return;
  }
}
