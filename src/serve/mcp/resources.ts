/**
 * What an agent can read beside the tools: the report of a call, the statistics, and the pages of the documentation that
 * explain what the documents say.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { packageRoot } from '../../core/package.ts';
import { ask, documentOf, linesOf } from '../questions/asking.ts';
import { fenced } from './answer.ts';
import type { ToolClient } from './tools.ts';

/** Pages under docs/, and what each is for. */
const PAGES = {
  diagnosis: 'When calltap reports a finding, and when it keeps silent',
  glossary: 'The terms of the documents',
  losses: 'Where the capture can lose something, and which counter shows it',
  limits: 'What is kept, and how much of it',
  limitations: 'What calltap cannot see or do',
} as const;

export function addResources(server: McpServer, asked: ToolClient): void {
  const { whenReady } = asked;
  server.registerResource(
    'report',
    new ResourceTemplate('calltap://calls/{id}/report', { list: undefined }),
    { title: 'Report of a call', mimeType: 'text/markdown', description: 'id is the Call-ID, percent-encoded.' },
    async (uri, { id }) => {
      await whenReady;
      const given = { selector: decodeURIComponent(String(id)), layout: 'markdown' } as const;
      const text = fenced(linesOf(await ask('text', given, asked)).join('\n'));
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
  server.registerResource(
    'stats',
    'calltap://stats',
    { title: 'Statistics', mimeType: 'application/json', description: 'What was captured, and what was lost.' },
    async ({ href }) => {
      await whenReady;
      const text = JSON.stringify(documentOf(await ask('stats', {}, asked)));
      return { contents: [{ uri: href, mimeType: 'application/json', text }] };
    },
  );
  for (const [name, description] of Object.entries(PAGES))
    server.registerResource(
      name,
      `calltap://docs/${name}`,
      { title: name, mimeType: 'text/markdown', description },
      async ({ href }) => ({
        contents: [{ uri: href, mimeType: 'text/markdown', text: await readFile(pagePath(name), 'utf8') }],
      }),
    );
}

function pagePath(name: string): string {
  return join(packageRoot(), 'docs', `${name}.md`);
}
