import { z } from 'zod';
import type { Spelling } from '../text/respell.js';
import { check } from '../text/check.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { anyJson, filledText, text, webAddress } from './values.js';

/** A variable of a chain: what `{{name}}` may hold. */
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const variable = z
  .string({ error: 'a name' })
  .regex(VARIABLE, { error: 'a name: a letter or `_`, then letters, digits or `_`' });

const modelShape = {
  provider: z
    .enum(['ollama', 'anthropic', 'openai'], { error: 'one of ollama, anthropic, openai' })
    .describe('Who runs the model; no other is ever asked.'),
  model: filledText.describe("The model, in the provider's own words."),
  baseUrl: webAddress
    .optional()
    .describe('Where it is reached; for Ollama `OLLAMA_HOST`, else http://localhost:11434.'),
  params: z
    .record(z.string(), anyJson, { error: 'a map of settings' })
    .optional()
    .describe("Settings in the provider's own words, such as temperature."),
};

const model = z.strictObject(
  { name: filledText.describe('Name by which steps refer to it.'), ...modelShape },
  { error: 'a map with name, provider, model' },
);
const inlineModel = z.strictObject(modelShape, { error: 'a map with provider and model' });

const chainStep = z
  .strictObject(
    {
      step: z
        .number({ error: 'a whole number of at least 1' })
        .int({ error: 'a whole number of at least 1' })
        .min(1, { error: 'a whole number of at least 1' })
        .describe('Its number: steps run in the order of their numbers, and numbers may be left out.'),
      inputs: z
        .array(text, { error: 'a list of variables' })
        .min(1, { error: 'at least one variable' })
        .describe('Variables it reads: `userRequest`, or outputs of earlier steps.'),
      outputs: z
        .record(variable, z.enum(['string', 'number'], { error: 'string or number' }), { error: 'a map with one name' })
        .meta({ minProperties: 1, maxProperties: 1 })
        .describe('The one variable it writes, and whether that is a text or a number.'),
      modelRef: filledText.optional().describe('A model of `models` by name.'),
      model: inlineModel.optional().describe('A model for this step alone.'),
      systemPrompt: filledText.optional().describe('What the model is told; `{{name}}` is a variable.'),
      command: z
        .array(text, { error: 'a list' })
        .min(1, { error: 'a list with an executable' })
        .optional()
        .describe('The executable, then its arguments, in which `{{name}}` is a variable. No shell stands between.'),
    },
    { error: 'a step: a map with step, inputs, outputs' },
  )
  .describe('A step: a model that is told `systemPrompt`, or a command.');

const chainShape = {
  $schema: text.optional().describe('For editors.'),
  models: z.array(model, { error: 'a list of models' }).optional().describe('Models that steps refer to by name.'),
};

const steps = (step: z.ZodType) => z.array(step, { error: 'a list of steps' }).min(1, { error: 'at least one step' });

/** The whole file, for editors. */
export const chainSchema = z
  .strictObject({ ...chainShape, steps: steps(chainStep).describe('The steps.') })
  .describe('A chain: numbered steps that turn a request into a result, one after the other.');

/** The file without its steps, which are checked one by one so that each fault is reported where it is. */
const chainHead = z.strictObject({ ...chainShape, steps: steps(z.unknown()) });

export type AuthoredModel = z.infer<typeof inlineModel>;
export type AuthoredChainStep = z.infer<typeof chainStep>;

/** A chain as it is written. Null steps had problems; `broken`: so had the head. */
export interface AuthoredChain {
  models: z.infer<typeof model>[];
  steps: (AuthoredChainStep | null)[];
  broken: boolean;
}

const WORDS: Record<string, string> = {
  prompt: 'systemPrompt',
  system_prompt: 'systemPrompt',
  system: 'systemPrompt',
  model_ref: 'modelRef',
  base_url: 'baseUrl',
  output: 'outputs',
  input: 'inputs',
  number: 'step',
  parameters: 'params',
  options: 'params',
};

/** What `respelled` holds a chain against. */
export const chainSpelling: Spelling = { schema: chainSchema, words: { ...WORDS, model: 'models' } };

/** Reads a chain's authored form; null when there are no steps to go on with. */
export function readChain(node: Node, report: Report): AuthoredChain | null {
  const head = check(chainHead, node, { report, words: { model: 'models', step: 'steps' } });
  const list = memberOf(node, 'steps');
  if (list?.items == null) return null;
  const authored = list.items.map((item) => check(chainStep, item, { report, words: WORDS }));
  return { models: head?.models ?? [], steps: authored, broken: head === null };
}
