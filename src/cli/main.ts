#!/usr/bin/env node
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCompiled } from '../workers/run-compiled.js';

requireNode();
runCompiled(join(dirname(fileURLToPath(import.meta.url)), 'command-line.cjs'));

/**
 * Ends where Node is older than `engines` of `package.json` says. This file and what it imports are read by those too:
 * they have only what those can parse.
 */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  // Modules are not loaded yet, and all that is written is Node's version.
  // eslint-disable-next-line no-restricted-properties, no-restricted-syntax
  process.stderr.write(
    `Error: Perdure needs Node 20.19 or later; this is ${process.version}.\n  Install a newer one: ` +
      `https://nodejs.org, or by nvm, fnm or your system's packages.\n`,
  );
  process.exit(3);
}
