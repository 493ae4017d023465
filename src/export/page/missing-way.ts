/** Finds the stream of a call that nothing answers: the one whose other direction never came. */

type Way = { readonly src: string; readonly dst: string };

export function lacksWay<T extends Way>(streams: readonly T[]): T | undefined {
  const ways = new Set(streams.map(({ src, dst }) => `${hostOf(src)} ${hostOf(dst)}`));
  return streams.find(({ src, dst }) => !ways.has(`${hostOf(dst)} ${hostOf(src)}`));
}

function hostOf(socket: string): string {
  return socket.slice(0, socket.lastIndexOf(':'));
}
