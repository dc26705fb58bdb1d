import { z } from 'zod';
import { toText } from '../../plan/values/json.js';
import type { Spelling } from '../text/respell.js';
import { check } from '../text/check.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, nodeAt, startOf, withoutPaths } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { anyJson, count, filledText, repeated, text } from './values.js';

/** Agents that call themselves are in the Plan once for each level. */
const MOST_DEPTH = 100;

const flag = z.boolean({ error: 'true or false' });
const files = (what: string) => z.array(filledText, { error: `a list of ${what}` });

const runtime = z.strictObject(
  {
    approval_mode: z
      .enum(['prompt', 'approve_all', 'reject_all'], { error: 'prompt, approve_all or reject_all' })
      .optional()
      .describe('What happens where a tool needs approval; prompt when left out.'),
    auth_mode: z
      .enum(['oauth_off', 'oauth_auto', 'oauth_required'], { error: 'oauth_off, oauth_auto or oauth_required' })
      .optional()
      .describe('Read, and not used: keys are those of the environment.'),
    max_depth: count
      .max(MOST_DEPTH, { error: `a whole number from 1 to ${MOST_DEPTH}` })
      .optional()
      .describe('How deep agents may call agents; 5 when left out.'),
    return_permission_errors: flag.optional().describe('Whether an agent is told of a refusal, in place of ending.'),
    agent_calls_require_approval: flag.optional().describe('Whether calls of agents need approval.'),
    agent_attachments_require_approval: flag.optional().describe('Whether calls with attachments need approval.'),
    agent_approval_overrides: z
      .record(
        z.string(),
        z.strictObject(
          {
            calls_require_approval: flag.optional().describe('Whether calls of it need approval.'),
            attachments_require_approval: flag
              .optional()
              .describe('Whether calls of it with attachments need approval.'),
          },
          { error: 'a map with calls_require_approval, attachments_require_approval' },
        ),
        { error: 'a map from agents to settings' },
      )
      .optional()
      .describe('The same for single agents.'),
  },
  { error: 'a map' },
);

const entry = z.strictObject(
  {
    agent: filledText.optional().describe('The agent that is asked.'),
    function: anyJson.optional().describe('A function of Python, which Perdure does not run.'),
    args: z
      .strictObject(
        {
          input: text.optional().describe('What it is asked when nobody says.'),
          attachments: files('files').optional().describe('Files that it is shown, relative to the manifest.'),
        },
        { error: 'a map with input and attachments' },
      )
      .optional()
      .describe('What it is given.'),
  },
  { error: 'a map with agent' },
);

/** `project.json`: strict at every level. */
export const projectSchema = z
  .strictObject({
    $schema: text.optional().describe('For editors.'),
    version: z.number({ error: '1' }).describe('1.'),
    runtime: runtime.describe('How the agents run.'),
    allow_cli_input: flag.optional().describe('Whether the command line may say what is asked; true when left out.'),
    entry: entry.describe('Where a run begins.'),
    generated_agents_dir: filledText
      .optional()
      .describe('Where agents that agents make are written, relative to the manifest.'),
    generated_workers_dir: filledText.optional().describe('The older name of `generated_agents_dir`.'),
    agent_files: files('files').optional().describe('The `.agent` files, relative to the manifest.'),
    python_files: files('files').optional().describe('Files of Python, which Perdure does not run.'),
  })
  .describe('A project: agents that call each other, and the one that is asked.');

export type AuthoredProject = z.infer<typeof projectSchema>;

const REQUIRED: (PropertyKey | undefined)[] = ['version', 'runtime', 'entry'];

const WORDS: Record<string, string> = { worker_files: 'agent_files', agents: 'agent_files', main: 'entry' };

/** What `respelled` holds a manifest against. */
export const projectSpelling: Spelling = { schema: projectSchema, words: WORDS };

/** A manifest without what is null and may be left out: programs write that for what they do not say. */
export function saidInProject(node: Node): Node {
  const faults = (projectSchema.safeParse(node.value).error?.issues ?? []).map(({ path }) => path);
  const unsaid = [...faults, ['entry', 'function']].filter(
    (path) => isOptional(path) && nodeAt(node, path).value === null,
  );
  return withoutPaths(node, unsaid);
}

/** Tells whether a place is that of a key, no item, which need not be there: those that must are all at the top. */
function isOptional(path: PropertyKey[]): boolean {
  const [first, ...more] = path;
  return typeof path.at(-1) === 'string' && (more.length > 0 || !REQUIRED.includes(first));
}

/** Reads a manifest; null when it has faults, all of which are told in the words of docs/projects.md. */
export function readProject(node: Node, report: Report): AuthoredProject | null {
  let broken = false;
  const watch: Report = (finding) => {
    if (finding.severity !== 'warning') broken = true;
    report(finding);
  };
  const authored = check(projectSchema, node, { report: watch, words: WORDS });
  checkVersion(memberOf(node, 'version'), watch);
  checkEntry(memberOf(node, 'entry'), watch);
  checkFiles(node, watch);
  checkGenerated(node, watch);
  return broken ? null : authored;
}

function checkVersion(version: Node | null, report: Report): void {
  if (typeof version?.value !== 'number' || version.value === 1) return;
  report({
    code: 'invalid-value',
    at: version,
    message: `Unsupported manifest version: ${version.value}. Only version 1 is supported.`,
    suggestion: 'write `1`',
  });
}

function checkEntry(at: Node | null, report: Report): void {
  if (at?.members == null) return;
  const isAgent = at.members.has('agent');
  const isFunction = at.members.has('function');
  if (isAgent === isFunction) {
    const message = "entry must define exactly one of 'agent' or 'function'";
    report({
      code: isAgent ? 'conflicting-keys' : 'missing-key',
      at: isAgent ? keyOf(at, 'function') : startOf(at),
      message,
      suggestion: 'name one of the agents: `"entry": {"agent": "main"}`',
    });
  } else if (isFunction) {
    report({
      code: 'python-only',
      at: memberOf(at, 'function') ?? at,
      message: 'An entry function is Python, which Perdure does not run.',
      suggestion: 'name an agent as the entry',
    });
  }
}

function checkFiles(node: Node, report: Report): void {
  const lists = ['agent_files', 'python_files'].map((key) => memberOf(node, key)?.items ?? []);
  if (lists.every((items) => items.length === 0)) {
    report({
      code: 'missing-key',
      at: keyOf(node, 'agent_files'),
      message: 'At least one agent_files or python_files entry is required',
      suggestion: 'list the agents: `"agent_files": ["main.agent"]`',
    });
  }
  const twice = repeated(lists.flat());
  const [first] = twice;
  if (first !== undefined)
    report({
      code: 'duplicate-name',
      at: first,
      message: `Duplicate file paths: ${twice.map(({ value }) => toText(value)).join(', ')}`,
      suggestion: 'keep one of each',
    });
}

function checkGenerated(node: Node, report: Report): void {
  if (memberOf(node, 'generated_agents_dir') === null || memberOf(node, 'generated_workers_dir') === null) return;
  report({
    code: 'conflicting-keys',
    at: keyOf(node, 'generated_workers_dir'),
    message: '`generated_workers_dir` is the older name of `generated_agents_dir`; the manifest has both.',
    suggestion: 'keep `generated_agents_dir`',
  });
}
