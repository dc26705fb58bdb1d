import { z } from 'zod';
import type { Json } from '../../plan/values/json.js';
import { MOST_MINUTES } from '../../plan/budget/budgets.js';
import { ID, NAME } from '../../plan/names.js';
import type { InputType } from '../../plan/values/input-type.js';
import { CARRY_MB } from '../../plan/worktree.js';
import type { Node } from '../text/node.js';

/*
 * Building blocks of the authored forms. `error` is what was expected, in the words of a message: a schema says it
 * once, the checker adds what it found.
 */
export const name = z
  .string({ error: 'a name' })
  .regex(NAME, { error: 'a name: a letter, then letters, digits, `-` or `_`, at most 63' });
export const id = z
  .string({ error: 'an id' })
  .regex(ID, { error: 'an id: a letter or `_`, then letters, digits, `-` or `_`, at most 63' });
export const text = z.string({ error: 'a text' });
export const filledText = text.regex(/\S/, { error: 'a text that is not empty' });
export const positive = z.number({ error: 'a number above 0' }).positive({ error: 'a number above 0' });
export const count = z
  .number({ error: 'a whole number above 0' })
  .int({ error: 'a whole number above 0' })
  .positive({ error: 'a whole number above 0' });

/** Of more, no moment can be reckoned. */
export const minuteCount = positive.max(MOST_MINUTES, { error: 'a number of minutes of at most a year (525600)' });

/** An address that travels in Plans and histories: it has no name and no password in it (I13). */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .refine((written) => !URL.canParse(written) || !hasLogin(new URL(written)), {
    error: 'an http or https address without a name or password, which would stand in histories',
  });

/** A host that tools may reach, alone or with a port. This machine has one: at others there is more than is meant. */
export const reachedHost = filledText.regex(/^(?!(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$)/i, {
  error: 'a host of this machine with its port, such as localhost:8080',
});

function hasLogin({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** A reference to a variable of the environment, `${env.NAME}`: never what it holds (I13). */
export function variable(example: string): z.ZodString {
  const error = `a reference to a variable of the environment, such as \${env.${example}}`;
  return z.string({ error }).regex(/^\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}$/, { error });
}

/** Any JSON value: what `yaml.ts` hands over is nothing else, so there is nothing left to check. */
export const anyJson = z.unknown() as z.ZodType<Json>;

/** Any value; texts in it may hold `${…}`. */
export const template = anyJson;

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_DURATION = 365 * UNITS.d;

/** `500ms`, `30s`, `5m`, `1h30m`, `2d`; at most a year. */
export const duration = z
  .string({ error: 'a duration with its unit, such as `30s` or `5m`' })
  .regex(/^(?:[0-9]{1,9}(?:\.[0-9]{1,3})?(?:ms|s|m|h|d)){1,5}$/, {
    error: 'a duration such as `500ms`, `30s`, `5m` or `1h30m`',
    abort: true,
  })
  .refine((written) => isInRange(millisecondsOf(written)), { error: 'a duration above 0 and of at most a year' });

function isInRange(milliseconds: number): boolean {
  return milliseconds > 0 && milliseconds <= LONGEST_DURATION;
}

/** Milliseconds of a duration that was checked. */
export function millisecondsOf(written: string): number {
  const parts = [...written.matchAll(/([0-9.]+)(ms|s|m|h|d)/g)];
  return parts.reduce(
    (sum, [, amount, unit]) => sum + Math.round(Number(amount) * UNITS[unit as keyof typeof UNITS]),
    0,
  );
}

/** Declaration of an input. */
export const inputSpec = z
  .strictObject(
    {
      type: z
        .enum(['string', 'number', 'integer', 'boolean', 'list', 'array', 'object', 'any'], {
          error: 'one of string, number, integer, boolean, list (or array), object, any',
        })
        .transform((word): InputType => (word === 'array' ? 'list' : word))
        .optional()
        .describe(
          'What may be given; any when left out. `array` is `list`; an `integer` is a number without a fraction.',
        ),
      required: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe('Whether it must be given; true when there is no default.'),
      description: text.optional().describe('What it is for.'),
      default: anyJson.optional().describe('What it is when nobody gives it.'),
    },
    { error: 'a map with type, required, description, default' },
  )
  .nullable();

export const inputSpecs = z.record(id, inputSpec, { error: 'a map from names to declarations' });

/** For editors: also a list of names or of maps with a `name`, which `input-list.ts` makes a map of. */
export const inputSpecsOrList = z.union([
  inputSpecs,
  z.array(
    z.union([
      id.describe('The name of an input.'),
      inputSpec.unwrap().extend({ name: id.describe('The name of the input.') }),
    ]),
  ),
]);
export type AuthoredInputs = z.infer<typeof inputSpecs>;

/** A JSON Schema; what may be in it is checked by `check-schema.ts`. */
export const jsonSchema = z.record(z.string(), anyJson, { error: 'a map: a JSON Schema' });

const stops = ['pause', 'stop', 'error'] as const;
const stop = z.enum(stops, { error: 'pause, stop or error' });

const STOP_OR_DEGRADE = 'pause, stop, error or {degrade: <model>}';

/** Also what may go on with a cheaper model: `degrade: haiku`, as a text or as a map. */
const stopOrDegrade = z.union(
  [
    z.enum(stops),
    z
      .string()
      .regex(/^degrade: *[^\s]+$/, { error: STOP_OR_DEGRADE })
      .transform((written) => ({ degrade: written.replace(/^degrade: */, '') })),
    z.strictObject({ degrade: filledText.describe('The model to go on with.') }),
  ],
  { error: STOP_OR_DEGRADE },
);

const onExhausted = z.strictObject(
  {
    max_steps: stop.optional().describe('At the limit of steps; error when left out.'),
    max_runtime_mins: stop
      .optional()
      .describe('At the limit of run time; when left out everything is killed, and the run ends in timeout.'),
    max_cost_usd: stopOrDegrade
      .optional()
      .describe('When the next call may cost more than is left; pause when left out.'),
    max_tokens: stopOrDegrade
      .optional()
      .describe('When the next call may take more tokens than are left; stop when left out.'),
  },
  { error: 'a map from limits to pause, stop, error or {degrade: <model>}' },
);

export const budgets = z.strictObject(
  {
    max_steps: count.optional().describe('Steps that start an activity or open a gate, over the whole tree.'),
    max_parallel: count.optional().describe('Activities that run at once, over the whole tree.'),
    max_runtime_mins: minuteCount.optional().describe('Minutes of run time, waiting for people apart.'),
    max_cost_usd: positive.optional().describe('US dollars for model calls.'),
    max_tokens: count.optional().describe('Tokens of model calls, in and out.'),
    on_exhausted: onExhausted.optional().describe('What happens at a limit.'),
  },
  { error: 'a map of limits' },
);

/** The items that stand in a list for the second time. */
export function repeated(items: Node[]): Node[] {
  const seen = new Set<unknown>();
  return items.filter(({ value }) => {
    if (typeof value !== 'string') return false;
    const known = seen.has(value);
    seen.add(value);
    return known;
  });
}

/** A folder of the project, by its path from the root. */
export const inProject = z
  .string({ error: 'a path' })
  .regex(/^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))(?!(?:.*\/)?\.git(?:\/|$))[^\p{Cc}\\]+(?<!\/)$/u, {
    error: "a folder from the project's root, without `..`",
  });

/** Such folders of which none is in another: that goes along with all in it, and would be put over the inner one. */
export const apart = (folders: z.ZodArray<typeof inProject>) =>
  folders.superRefine((written, context) => {
    const below = written.map((path) => `${path.replace(/\/+/g, '/')}/`);
    for (const [index, path] of below.entries()) {
      const around = below.findIndex(
        (other, at) => at !== index && path.startsWith(other) && (path !== other || at < index),
      );
      const message = `a folder in no other of these: \`${written[around] ?? ''}\` goes along with all in it`;
      if (around !== -1) context.addIssue({ code: 'custom', path: [index], message });
    }
  });

/** How large folders that git ignores may be where they go to a store for many machines. */
export const carryMb = z
  .int({ error: 'a whole number of megabytes from 1' })
  .min(1, { error: 'a whole number of megabytes from 1' })
  .max(10_240, { error: 'at most 10240 megabytes' });
export const CARRY_MB_TEXT =
  'Megabytes that folders under `carry` have together at most, where they go to a store for many machines; ' +
  `${CARRY_MB} when left out.`;

/** When what a step came to is on the disk: with the step, or soon after it. */
export const durability = z.enum(['synced', 'usual'], { error: 'synced or usual' });
