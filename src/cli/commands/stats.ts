import type { CommandSpec } from '../command.js';
import type { Store } from '../../store/store.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import type { Score } from '../forecast/score.js';
import { print, printJson } from '../terminal.js';
import { safeName } from '../text/safe-text.js';

export const stats: CommandSpec = {
  name: 'stats',
  summary: 'score forecasts of cost, tokens and time against what closed runs took; show the quota of today',
  arguments: [{ syntax: '[definition]', about: 'only runs of the definition of this name' }],
  options: [JSON_OPTION],
  examples: ['perdure stats', 'perdure stats review-repository --json'],
  async run({ arguments: [definition], options, terminal }) {
    const { openExisting } = await import('../session.js');
    const { readPast } = await import('../../workers/forecast/read-past.js');
    const { scoreRuns } = await import('../forecast/score.js');
    const session = await openExisting(terminal, { taskQueue: null });
    const past = session === null ? [] : await readPast(session.store);
    const runs = definition === undefined ? past : past.filter(({ plan }) => plan.name === definition);
    const scores = scoreRuns(runs, { models: session?.config.models, env: terminal.env });
    const { quotaLines, quotaState } = await import('../forecast/quota-state.js');
    const quota = session === null ? null : await quotaState(session, Date.now());
    if (options.flag('json'))
      printJson(terminal, { closed: runs.length, ...scores, ...(quota === null ? {} : { quota }) });
    else {
      const told = [lineOf('cost', scores.usd), lineOf('tokens', scores.tokens), lineOf('time', scores.ms)].flat();
      print(
        terminal,
        ...(told.length > 0 ? told : [await whyNothing(definition, runs.length, session?.store ?? null)]),
        ...(quota === null ? [] : quotaLines(quota)),
      );
    }
    return EXIT.success;
  },
};

/** Why nothing was forecast. A name that no closed run has is likely another one. */
async function whyNothing(
  definition: string | undefined,
  count: number,
  store: Pick<Store, 'closedRuns'> | null,
): Promise<string> {
  const names = new Set<string>();
  if (definition !== undefined && store !== null)
    for await (const page of store.closedRuns()) for (const { plan_name: name } of page) names.add(name);
  if (definition === undefined || names.has(definition))
    return `Nothing was forecast: closed runs say too little (${count}).`;
  const { didYouMean } = await import('../../compiler/problems/did-you-mean.js');
  const hint = didYouMean(definition, names) ?? '`perdure list` has all runs.';
  return `No closed run of a definition \`${safeName(definition)}\` is known: ${hint}`;
}

function lineOf(what: string, score: Score | null): string[] {
  if (score === null) return [];
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    `${what.padEnd(6)}  ${score.runs} runs: ${percent(score.below_p50)} at most p50, ` +
      `${percent(score.below_p95)} at most p95, which was ${score.ratio.toFixed(1)} times what they took`,
  ];
}
