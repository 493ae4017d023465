/**
 * The program: reads the configuration, chooses a mode, and turns every expected failure into one line.
 */

import { configErrorLine, loadConfig } from '../config/config.ts';
import { renderConfig, renderHelp } from '../config/document.ts';
import { oneLine } from '../config/option-value.ts';
import { errnoOf, failure, ServiceError } from '../core/errors.ts';
import { faults } from '../core/faults.ts';
import { Refusal } from '../explore/refusal.ts';
import { beginText } from '../faces/cli/begin.ts';
import { runHostCheck } from '../faces/cli/host-check.ts';
import { readInterfaces } from '../faces/cli/interfaces.ts';
import { runShowFrame } from '../faces/cli/show-frame.ts';
import { guardStandardStreams, standardError } from '../faces/cli/standard-streams.ts';
import { runUprobeList } from '../faces/cli/uprobe-list.ts';
import { versionText } from '../faces/cli/version.ts';
import { filterHelp } from '../query/help.ts';
import { runMintToken } from '../serve/auth/configured.ts';
import { guardMemoryUsage } from '../serve/metrics/memory-usage.ts';
import { findingsHelp } from '../view/findings-text.ts';
import { ensureAddressSpace } from './address-space.ts';
import { endWith, inSources, isOutOfMemory } from './crash.ts';
import { runCapture } from './run.ts';

const HELP = { options: renderHelp, filter: () => filterHelp(), findings: () => findingsHelp() } as const;

async function main(argv: readonly string[]): Promise<number> {
  const loaded = loadConfig({ argv, env: process.env });
  if (!loaded.ok) {
    const isBare = argv.length === 0 && loaded.error.code === 'NOTHING_TO_READ';
    process.stderr.write(isBare ? beginText(readInterfaces()) : `${configErrorLine(loaded.error)}\n`);
    return loaded.error.exitCode;
  }
  ensureAddressSpace();
  const { config, effective } = loaded.value;
  const text =
    config.help !== null
      ? HELP[config.help](argv)
      : config.version
        ? versionText()
        : config.printConfig
          ? renderConfig(effective)
          : '';
  if (text !== '') {
    process.stdout.write(text);
    return 0;
  }
  if (config.mintToken) return runMintToken(config);
  if (config.check) return runHostCheck(config);
  if (config.uprobeList) return runUprobeList(config);
  if (config.showFrame !== null) return runShowFrame(config.showFrame, config.decodeEspNull);
  if (config.hub) {
    const { runHub } = await import('./hub.ts');
    return runHub(config);
  }
  if (config.connect !== null && config.mcpStdio) {
    const { serveAgentOver } = await import('./agent.ts');
    return serveAgentOver(config);
  }
  if (config.connect !== null) {
    const { connect } = await import('./interact.ts');
    return connect(config);
  }
  return runCapture(config);
}

/** Runs the program and leaves its exit code to the process. */
export async function start(argv: readonly string[]): Promise<void> {
  guardStandardStreams();
  guardMemoryUsage();
  faults.say = (line) => standardError.write(`calltap: ${oneLine(inSources(line))}\n`);
  // Node would open a debugger's port, which lets any local user run code in a process that may capture packets.
  process.on('SIGUSR1', () => undefined);
  try {
    process.exitCode = await main(argv);
  } catch (error) {
    if (errnoOf(error) === 'EMFILE') endWith(failure('TOO_MANY_FILES', {}));
    if (isOutOfMemory(error)) endWith(failure('OUT_OF_MEMORY', {}));
    const shown = error instanceof Refusal ? failure('NO_ANSWER', { reason: error.message.replace(/\.$/, '') }) : error;
    if (!(shown instanceof ServiceError)) throw error;
    process.stderr.write(`${configErrorLine(shown)}\n`);
    process.exitCode = shown.exitCode;
  }
}
