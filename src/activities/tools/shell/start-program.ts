import { z } from 'zod';
import { builtin, failed, ok } from '../handler/builtin.js';
import { programAction, programInput, runGiven } from './shell.js';

const DEFAULT_S = 5;

const input = programInput.omit({ timeout_s: true }).extend({
  for_s: z.int().min(1).max(60).optional().describe(`Seconds that it has to stay; ${DEFAULT_S} when left out.`),
});

export const startProgram = builtin({
  description:
    'Starts a program and looks whether it works: it still runs after some seconds and is ended then, or ends by ' +
    'itself with exit code 0.',
  input,
  parallel: false,
  quick: false,
  effect: 'workspace',
  action: programAction,
  run: async ({ for_s: seconds = DEFAULT_S, ...given }, context) => {
    const end = await runGiven({ ...given, timeout_s: seconds }, context);
    if ('output' in end) {
      const { exit_code, stdout, stderr } = end.output;
      const reason = exit_code === 0 ? null : `It ended with exit code ${exit_code}.`;
      return ok({ ok: reason === null, stayed: false, exit_code, reason, output: `${stdout}\n${stderr}`.trim() });
    }
    if (end.late === undefined) return failed(end.failure);
    const { stdout, stderr } = end.late;
    return ok({ ok: true, stayed: true, exit_code: null, reason: null, output: `${stdout}\n${stderr}`.trim() });
  },
});
