import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createDevices } from '../../compiler/project/devices.js';
import { latinOf } from '../../plan/text/latin.js';
import type { JsonObject } from '../../plan/values/json.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { openKeys } from '../follow/input/keys.js';
import type { Workspace } from '../session.js';
import { compile } from '../submit/prepare.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { writeWhole } from '../write-whole.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

/** What is asked for a new spec, as it was typed; null where nothing was said yet. */
export interface BuildAnswers {
  goal: string | null;
  audience: string | null;
  style: string | null;
  board: string | null;
}

const QUESTIONS: Record<keyof BuildAnswers, string> = {
  goal: 'What is to be built? ',
  audience: 'For which ages? (8-14) ',
  style: 'In which style? (none) ',
  board: 'For which board of perdure.yml? (none) ',
};

/**
 * Writes a build spec of a few answers, below the project's `definitions/builds/`, and gives its path from there. What
 * was not said is asked on a terminal. Nothing that is there is overwritten, and nothing is written that has a problem.
 */
export async function initBuild(
  name: string | null,
  given: BuildAnswers,
  { workspace, asks }: { workspace: Workspace; asks: boolean },
  terminal: Terminal,
): Promise<string> {
  const check = checks(workspace);
  for (const key of KEYS) check[key](given[key] ?? '');
  if (name !== null && !/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name))
    throw usageError(`Expected a name of letters, digits, \`-\` and \`_\`, got \`${name}\`.`);
  if (name !== null) refuseExisting(fileOf(name, workspace), workspace);
  if (!asks && (given.goal ?? '').trim() === '')
    throw usageError(
      'Expected `--goal`: what is to be built.',
      '`perdure init build --goal "A page that counts clicks."`; on a terminal it asks.',
    );
  const answers = asks ? await askAll(given, check, terminal) : given;
  const spec = specOf(answers);
  const file = fileOf(name ?? nameOf(String(spec['goal']), workspace), workspace);
  refuseExisting(file, workspace);
  const text = `${HEAD}\n${yamlText(spec)}`;
  // What it says must be what a build takes: a text that is too long is a problem here, not later.
  await compile(file, workspace, terminal, {
    made: { texts: new Map([[file, text]]), agents: [], own: true },
  });
  writeWhole(file, text);
  return relative(workspace.project.root, file);
}

const HEAD = '# A build spec: `perdure build` builds what it says. Everything but the goal is optional.';
const KEYS = ['goal', 'audience', 'style', 'board'] as const;

/** Each throws a usage error for an answer that is none; an empty one says nothing. */
type Checks = Record<keyof BuildAnswers, (answer: string) => void>;

function checks({ project, config }: Workspace): Checks {
  const find = createDevices(project, config);
  return {
    goal: () => undefined,
    style: () => undefined,
    audience: (answer) => void agesOf(answer),
    board(answer) {
      const found = answer.trim() === '' ? null : find(answer.trim());
      if (found !== null && !('device' in found)) throw usageError(found.message, found.suggestion);
    },
  };
}

async function askAll(given: BuildAnswers, check: Checks, terminal: Terminal): Promise<BuildAnswers> {
  const keys = openKeys(terminal, new AbortController().signal);
  const ask = async (key: keyof BuildAnswers): Promise<string> => {
    for (;;) {
      const answer = await keys.line(`  ${QUESTIONS[key]}`);
      if (answer === null) throw new CliError('Nothing was written.', EXIT.interrupted);
      try {
        check[key](answer);
        if (key !== 'goal' || answer.trim() !== '') return answer;
      } catch (error) {
        if (!(error instanceof CliError)) throw error;
        tell(terminal, `  ${error.message}${error.hint === null ? '' : ` (${error.hint})`}`);
      }
    }
  };
  try {
    const answers = { ...given };
    for (const key of KEYS) answers[key] ??= await ask(key);
    return answers;
  } finally {
    keys.close();
  }
}

/** `8-14`, with any dash, `to` or spaces between; `10` alone. */
const AGES = /^\s*(?:ages?\s+)?(\d{1,3})(?:(?:\s*[\p{Pd}\u2212]\s*|\s+to\s+|\s+)(\d{1,3}))?\s*$/iu;

/** The youngest and the oldest; null where nothing was said. */
function agesOf(answer: string): [number, number] | null {
  if (answer.trim() === '') return null;
  const [, from, to] = AGES.exec(answer) ?? [];
  const [least, most] = [Number(from), Number(to ?? from)];
  if (from === undefined || least < 1 || most > 120 || least > most)
    throw usageError(`Expected ages such as \`8-14\` or \`10\`, got \`${answer.trim()}\`.`);
  return [least, most];
}

function specOf({ goal, audience, style, board }: BuildAnswers): JsonObject {
  const said = (answer: string | null): string | null => answer?.trim() || null;
  const ages = agesOf(audience ?? '');
  const [look, device] = [said(style), said(board)];
  return {
    goal: said(goal) ?? '',
    ...(device === null ? {} : { type: 'hardware' }),
    ...(ages === null ? {} : { audience: { ages } }),
    ...(look === null ? {} : { style: { visual: look } }),
    ...(device === null ? {} : { devices: [{ name: device }] }),
  };
}

/** What the goal says, in Latin letters; where it says nothing in those, a name that is free. */
function nameOf(goal: string, workspace: Workspace): string {
  const words =
    latinOf(goal)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const told = words.filter((word) => !/^(?:a|an|the)$/.test(word)).join('-');
  const name = (/^[a-z]/.test(told) ? told : `build-${told}`).slice(0, 40).replace(/-+$/, '');
  let free = name;
  for (let number = 2; told === '' && existsSync(fileOf(free, workspace)); number++) free = `${name}-${number}`;
  return free;
}

function fileOf(name: string, { project }: Workspace): string {
  return join(project.root, 'definitions', 'builds', `${name}.yml`);
}

function refuseExisting(file: string, { project }: Workspace): void {
  if (existsSync(file))
    throw usageError(
      `\`${relative(project.root, file)}\` is there, and stays as it is.`,
      'Give the spec another name: `perdure init build NAME`.',
    );
}
