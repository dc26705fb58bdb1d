import type { CommandSpec } from '../command.js';
import type { Store } from '../../store/store.js';
import { JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import type { Score } from '../forecast/score.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';

export const stats: CommandSpec = {
  name: 'stats',
  summary: 'score forecasts of cost, tokens and time against what closed runs took; show the quota of today',
  arguments: [{ syntax: '[definition]', about: 'only runs of the definition of this name' }],
  options: [JSON_OPTION],
  examples: ['perdure stats', 'perdure stats review-repository --json'],
  async run({ arguments: [definition], options, terminal }) {
    if (definition === '')
      throw usageError('Expected the name of a definition, got an empty text.', 'Without one all runs are scored.');
    const { openExisting } = await import('../session.js');
    const { readPast } = await import('../../workers/forecast/read-past.js');
    const { scoreRuns } = await import('../forecast/score.js');
    const session = await openExisting(terminal, { taskQueue: null });
    const past = session === null ? [] : await readPast(session.store);
    const runs = definition === undefined ? past : past.filter(({ plan }) => plan.name === definition);
    if (definition !== undefined && runs.length === 0) await requireKnown(definition, session?.store ?? null, terminal);
    const scores = scoreRuns(runs, { models: session?.config.models, env: terminal.env });
    const { quotaLines, quotaState } = await import('../forecast/quota-state.js');
    const quota = session === null ? null : await quotaState(session, Date.now());
    if (options.flag('json'))
      printJson(terminal, { closed: runs.length, ...scores, ...(quota === null ? {} : { quota }) });
    else {
      const told = [lineOf('cost', scores.usd), lineOf('tokens', scores.tokens), lineOf('time', scores.ms)].flat();
      print(
        terminal,
        ...(told.length > 0 ? told : [`Nothing was forecast: closed runs say too little (${runs.length}).`]),
        ...(quota === null ? [] : quotaLines(quota)),
      );
    }
    return EXIT.success;
  },
};

/** Throws a usage error for a name that no closed run has, and no definition that is here: it is likely another one. */
async function requireKnown(name: string, store: Pick<Store, 'closedRuns'> | null, terminal: Terminal): Promise<void> {
  const names = new Set<string>();
  if (store !== null)
    for await (const page of store.closedRuns()) for (const { plan_name: closed } of page) names.add(closed);
  if (names.has(name)) return;
  const { openWorkspace } = await import('../session.js');
  const { createResolver } = await import('../../compiler/project/resolve.js');
  const path = await import('node:path');
  const { project } = await openWorkspace(terminal);
  const resolver = createResolver(project);
  const here = [...resolver.workflows(path.join(project.root, 'any')), ...resolver.agents()];
  for (const definition of here) names.add(definition.name);
  if (names.has(name)) return;
  const { didYouMean } = await import('../../compiler/problems/did-you-mean.js');
  throw usageError(
    `No closed run of a definition \`${name}\` is known.`,
    didYouMean(name, names) ?? '`perdure list` has all runs.',
  );
}

function lineOf(what: string, score: Score | null): string[] {
  if (score === null) return [];
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    `${what.padEnd(6)}  ${score.runs} runs: ${percent(score.below_p50)} at most p50, ` +
      `${percent(score.below_p95)} at most p95, which was ${score.ratio.toFixed(1)} times what they took`,
  ];
}
