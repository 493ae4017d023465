// What of a capture is asked for by name: its first calls and streams.

/** Of these the first one is looked at most closely: how it sounded, and why it failed. */
const BEFORE = ['/ask/calls?sort=mos&limit=1&q=mos>0', '/ask/calls?sort=-created&limit=1&q=state:Failed'];

/** { calls, ssrcs, of(name), capped }: what stands for a name in a path of a document. */
export async function namesOf(service, most) {
  const { dialogs = [] } = await service.json('/v1/dialogs?limit=1000');
  const { streams = [] } = await service.json('/v1/streams?limit=1000');
  const first = [];
  for (const path of BEFORE) first.push(...((await service.json(path)).calls ?? []));
  const callIds = [...new Set([...first, ...dialogs].map((row) => row.call_id))];
  const all = [...new Set(streams.map((row) => row.ssrc))];
  const [calls, ssrcs] = [callIds.slice(0, most), all.slice(0, most)];
  const of = (name) => (name === 'ssrc' ? ssrcs : calls);
  return { calls, ssrcs, of, capped: callIds.length > most || all.length > most };
}
