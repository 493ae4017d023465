/** The library's own client on the agent protocol of this program: over HTTP, and over standard input and output. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** Both revisions: that with a request for all, and that with a handshake. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

function newClient(revision: Revision): Client {
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const);
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
}

export async function overHttp(t: TestContext, base: string, revision: Revision, token?: string): Promise<Client> {
  const client = newClient(revision);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', base), { requestInit: { headers } }));
  t.after(() => client.close());
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  return client;
}

export async function overStdio(t: TestContext, args: readonly string[], revision: Revision): Promise<Client> {
  const client = newClient(revision);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: ['dist/program/calltap.js', 'mcp', ...args] }),
  );
  t.after(() => client.close());
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  return client;
}

type Block = { readonly type: string; readonly text?: string };

/** What a tool answered: its texts, its document, and whether it is a refusal. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ readonly texts: readonly string[]; readonly document: unknown; readonly isRefusal: boolean }> {
  const result = await client.callTool({ name, arguments: args });
  const blocks = result.content as readonly Block[];
  return {
    texts: blocks.map(({ text = '' }) => text),
    document: result.structuredContent,
    isRefusal: result.isError === true,
  };
}
