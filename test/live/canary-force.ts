/**
 * Loaded before calltap (NODE_OPTIONS=--import): the probes take a lesser mechanism on purpose, as on an older kernel.
 *
 * CANARY_FORCE holds the addon's `force` as JSON, CANARY_ADDON the addon's path. calltap itself has no such option; only
 * node's own modules are imported, so that the file also works by itself in another machine.
 */
import { createRequire } from 'node:module';

type Options = Record<string, unknown>;
type Addon = { TlsCapture: new (options: Options, onSlab: unknown) => object };

const { CANARY_ADDON: path, CANARY_FORCE: text } = process.env;
if (path !== undefined && text !== undefined) {
  // The addon's only export that is touched; calltap finds this very module when it asks for it.
  const addon = createRequire(import.meta.url)(path) as Addon;
  const force: unknown = JSON.parse(text);
  const Plain = addon.TlsCapture;
  addon.TlsCapture = class extends Plain {
    constructor(options: Options, onSlab: unknown) {
      super({ ...options, force }, onSlab);
    }
  };
}
