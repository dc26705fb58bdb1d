import { z } from 'zod';
import type { Json } from '../../../plan/values/json.js';
import { toText } from '../../../plan/values/json.js';
import { builtin, ok } from '../handler/builtin.js';
import { digestOf } from './digest.js';
import { tellSummaries } from './summaries.js';

const summary = z.strictObject({
  name: z.string().describe('Whose it is.'),
  text: z.unknown().describe('What was said: a text, or any value.'),
});

export const gatherContext = builtin({
  description:
    'Gathers what happened before: summaries, at most 500 words each and 2,000 in all, the first ones first; and a ' +
    'digest of the workspace, its files with a hint of each and the signatures of the newest.',
  input: z.strictObject({
    for: z.string().min(1).describe('Who is told: what is gathered for another is another call.'),
    before: z.array(summary).max(100).optional().describe('Summaries, the nearest first.'),
    reviews: z.array(summary).max(100).optional().describe('What reviewers said.'),
    results: z.array(summary).max(100).optional().describe('What tests said, and what was built.'),
    files: z.boolean().optional().describe('Whether there is a digest of the workspace; so when left out.'),
  }),
  parallel: true,
  quick: true,
  effect: 'none',
  action: () => ({ kind: 'read', path: '.' }),
  run: async ({ before = [], reviews = [], results = [], files = true }, context) => {
    const told = (items: z.infer<typeof summary>[]): string =>
      tellSummaries(items.map(({ name, text }) => ({ name, text: toText(text as Json) }))); // arguments are JSON
    const parts = [
      told(before),
      ...(reviews.length === 0 ? [] : [`Review feedback:\n\n${told(reviews)}`]),
      ...(results.length === 0 ? [] : [`Test results, and what was built:\n\n${told(results)}`]),
    ];
    return ok({
      before: parts.filter((part) => part !== '').join('\n\n'),
      files: files ? await digestOf(context) : '',
    });
  },
});
