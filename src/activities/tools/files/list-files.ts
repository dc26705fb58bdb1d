import { z } from 'zod';
import { builtin, failed, ok } from '../handler/builtin.js';
import { TOO_MANY_PATTERNS, fileMatcher, filePattern } from './glob.js';
import { fromRoot, workspacePath } from './path.js';
import { NOT_ALL, passedOver, walk } from './walk.js';

const MOST = 1_000;

export const listFiles = builtin({
  description:
    `Lists files of the workspace, at most ${MOST}: those right in a folder, or with \`pattern\` all below it ` +
    `that match. A folder ends with \`/\`, a link with \`@\`.`,
  input: z.strictObject({
    path: z.string().optional().describe("The folder, from the workspace's root; the root itself when left out."),
    pattern: filePattern.optional().describe('Such as `*.ts`, `src/**/*.test.ts`, `{a,b}/*.md`.'),
  }),
  parallel: true,
  quick: true,
  effect: 'none',
  action: ({ path = '.' }, workspace, root) => ({ kind: 'read', path: workspacePath(path, workspace, root) }),
  run: async ({ path = '.', pattern }, context) => {
    const folder = workspacePath(path, context.workspace, context.root);
    const matches = pattern === undefined ? () => true : fileMatcher(pattern);
    if (matches === null) return failed(TOO_MANY_PATTERNS);
    const found: string[] = [];
    const states: string[] = [];
    let more = false;
    const how = { below: pattern !== undefined, onState: (at: string) => states.push(fromRoot(at, context.root)) };
    const whole = await walk(context, folder, how, async ({ path: at, kind }) => {
      const inside = folder === '.' ? at : at.slice(folder.length + 1);
      if (pattern !== undefined && (kind === 'folder' || !matches(inside))) return 'go on';
      if (found.length === MOST) {
        more = true;
        return 'stop';
      }
      found.push(`${fromRoot(at, context.root)}${kind === 'folder' ? '/' : kind === 'link' ? '@' : ''}`);
      return 'go on';
    });
    if (found.length === 0) found.push('[nothing]');
    if (more) found.push(`[more than ${MOST}; narrow it with \`path\` or \`pattern\`]`);
    else if (!whole) found.push(NOT_ALL);
    found.push(...passedOver(states));
    return ok(found.join('\n'));
  },
});
