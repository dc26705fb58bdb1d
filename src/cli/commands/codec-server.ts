import type { CommandSpec } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { openWorkspace, workspaceKeys } from '../session.js';
import { tell } from '../terminal.js';

const TOKEN = 'PERDURE_CODEC_TOKEN';
const TOKEN_CHARACTERS = /^[\w.~-]{16,256}$/;
const PORT = 8088;

export const codecServer: CommandSpec = {
  name: 'codec-server',
  summary: "decrypt payloads for Temporal's UI and command line, until Ctrl-C",
  arguments: [],
  options: [
    { flags: '--port <n>', about: `where it listens; ${PORT} when left out` },
    { flags: '--host <address>', about: 'address of this machine that it listens at; 127.0.0.1 when left out' },
    { flags: '--origin <url>', about: 'a UI whose pages may ask; may be given several times', many: true },
  ],
  examples: [`${TOKEN}=… perdure codec-server --origin https://temporal.example`],
  async run({ options, terminal }) {
    const port = parsePort(options.text('port'));
    const origins = options.list('origin').map(parseOrigin);
    const token = terminal.env[TOKEN] ?? '';
    if (!TOKEN_CHARACTERS.test(token))
      throw usageError(
        `Expected the variable ${TOKEN} to be a token of 16 to 256 letters and digits, got ` +
          `${token === '' ? 'nothing' : 'another text'}.`,
        'Who asks brings it. A new one is made by: openssl rand -hex 32',
      );
    const workspace = await openWorkspace(terminal);
    const keys = await workspaceKeys(workspace, terminal);
    const { stateDir } = workspace.project;
    const { openProjectStore, storePlace } = await import('../../workers/open-store.js');
    const { holdsStore } = await import('../../store/identity.js');
    const place = storePlace(workspace.config, terminal.env);
    const store =
      place !== null || holdsStore(stateDir) ? await openProjectStore(stateDir, place, { lookOnly: true, keys }) : null;
    const { runCodecServer } = await import('../../workers/codec/codec-server.js');
    const { hostSignal } = await import('../../workers/host/host-process.js');
    await runCodecServer({
      reader: { store, keys },
      host: options.text('host') ?? '127.0.0.1',
      port,
      origins,
      token,
      signal: hostSignal(),
      onReady: (address) =>
        tell(
          terminal,
          `Ready: codec server ${address} · ${keys === null ? 'no keys' : `keys ${keys.ids.join(', ')}`} · ` +
            `${store === null ? 'no store' : 'values of the store here'} · pages of ` +
            (origins.join(', ') || 'no origin'),
        ),
    });
    return EXIT.success;
  },
};

function parsePort(text: string | null): number {
  const port = Number(text ?? PORT);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw usageError(`Expected \`--port\` to be a port from 0 to 65535, got \`${text ?? ''}\`.`);
}

function parseOrigin(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, ''))
    return new URL(text).origin;
  throw usageError(
    `Expected \`--origin\` to be an origin such as https://temporal.example, got \`${text}\`.`,
    'It is the scheme, host and port of the UI, without a path.',
  );
}
