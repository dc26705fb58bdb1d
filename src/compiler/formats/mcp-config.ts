import { z } from 'zod';
import type { McpServer } from '../../plan/tools/mcp-server.js';
import { isSecretName } from '../../plan/tools/mcp-server.js';
import { duration, filledText, id, millisecondsOf, text, webAddress } from './values.js';

/** A call of a tool may take so long where nobody says otherwise. */
const DEFAULT_CALL_MS = 60_000;

const REFERENCE = /\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}/;

/** Values by name; one that is a secret by its name is a reference, never the secret itself (I13). */
export const secretValues = (about: string) =>
  z
    .record(text, text, { error: 'a map from names to texts' })
    .superRefine((written, context) => {
      for (const [name, value] of Object.entries(written)) {
        if (isSecretName(name) && value !== '' && !REFERENCE.test(value))
          context.addIssue({
            code: 'custom',
            path: [name],
            message: 'a reference to a variable of the environment, such as `${env.GITHUB_TOKEN}`',
          });
      }
    })
    .optional()
    .describe(about);

export const mcpServer = z
  .strictObject(
    {
      command: z
        .array(filledText, { error: 'a list of texts' })
        .min(1, { error: 'a program and its arguments' })
        .optional()
        .describe('A server on stdio: its program and arguments, one item each. No shell stands between.'),
      env: secretValues(
        'Variables that its process gets beside PATH, HOME, LANG, TZ and TMPDIR; `${env.NAME}` in a value is ' +
          'one of yours.',
      ),
      cwd: filledText.optional().describe("Folder it runs in, from the project's root."),
      url: webAddress.optional().describe('A server on HTTP: its address.'),
      headers: secretValues('Headers of its requests; `${env.NAME}` in a value is a variable of yours.'),
      timeout: duration.optional().describe('Limit of one call; 60s when left out.'),
    },
    { error: 'a map with command or url' },
  )
  .superRefine(({ command, url, env, cwd, headers }, context) => {
    const wrong = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if (command === undefined && url === undefined) wrong('command', 'a program and its arguments, or else a `url`');
    if (command !== undefined && url !== undefined)
      wrong('url', 'no address beside `command`: a server has one of them');
    if (url !== undefined && env !== undefined)
      wrong('env', 'no variables beside `url`: they are for servers with a `command`');
    if (url !== undefined && cwd !== undefined)
      wrong('cwd', 'no folder beside `url`: it is for servers with a `command`');
    if (command !== undefined && headers !== undefined)
      wrong('headers', 'no headers beside `command`: they are for servers with a `url`');
  });

/** `mcp` of `perdure.yml`. A name has no `__`, which parts it from those of its tools. */
export const mcpServers = z.record(
  id.regex(/^(?!mcp(?:_|$))(?!.*__)/, { error: 'an id: letters, digits, `-` or `_`, without `__` and not `mcp`' }),
  mcpServer,
  { error: 'a map from names to servers' },
);

export type AuthoredServer = z.infer<typeof mcpServer>;

/** A server as Plans hold it. */
export function toMcpServer({ command, env = {}, cwd, url, headers = {}, timeout }: AuthoredServer): McpServer {
  const timeout_ms = timeout === undefined ? DEFAULT_CALL_MS : millisecondsOf(timeout);
  if (command !== undefined) return { kind: 'stdio', argv: command, env, cwd: cwd ?? null, timeout_ms };
  return { kind: 'http', url: url ?? '', headers, timeout_ms };
}
