import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCompiled } from './run-compiled.js';

// What a command starts as the host: `host-main.ts` and all that it uses, as one file.
runCompiled(join(dirname(fileURLToPath(import.meta.url)), 'host.cjs'));
