import { z } from 'zod';
import { builtin, failed } from '../handler/builtin.js';

/** Searching the web is done by the model's provider, in the middle of its own answer (Anthropic). */
export const webSearch = builtin({
  description: 'Searches the web.',
  input: z.strictObject({ query: z.string().min(1).max(500) }),
  parallel: true,
  quick: false,
  server: true,
  effect: 'none',
  action: () => ({ kind: 'none' }),
  run: async () => failed('The provider of this model does not search the web.'),
});
