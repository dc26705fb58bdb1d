import type { CommandSpec } from '../command.js';
import { EXIT } from '../exit-codes.js';

export const lsp: CommandSpec = {
  name: 'lsp',
  summary: 'serve an editor by the Language Server Protocol, on stdin and stdout',
  arguments: [],
  options: [
    { flags: '--stdio', about: 'stdin and stdout, which it is anyway; editors say so' },
    { flags: '--clientProcessId <id>', about: 'the process of the editor; the server ends when it has' },
  ],
  examples: ['perdure lsp'],
  async run({ terminal }) {
    const { packageVersion } = await import('../package-version.js');
    const { serveLsp } = await import('../lsp/serve.js');
    await serveLsp(terminal, packageVersion());
    return EXIT.success;
  },
};
