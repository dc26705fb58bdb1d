import { z } from 'zod';
import { anyJson, count, filledText, jsonSchema, positive, text } from '../../formats/values.js';

/* Recipes of goose as docs/import.md tells of them. */
const parameter = z.object(
  {
    key: filledText,
    input_type: text.optional(),
    requirement: z
      .enum(['required', 'optional', 'user_prompt'], { error: 'required, optional or user_prompt' })
      .optional(),
    description: text.optional(),
    default: anyJson.optional(),
    options: z.array(text, { error: 'a list of texts' }).optional(),
  },
  { error: 'a map with key' },
);
export type GooseParameter = z.infer<typeof parameter>;

/** A recipe. */
export const gooseRecipe = z.object(
  {
    title: filledText,
    description: text.optional(),
    instructions: text.optional(),
    prompt: text.optional(),
    parameters: z.array(parameter, { error: 'a list of parameters' }).nullable().optional(),
    extensions: z
      .array(z.object({ type: text.optional(), name: text.optional() }, { error: 'a map with type and name' }), {
        error: 'a list of extensions',
      })
      .nullable()
      .optional(),
    response: z.object({ json_schema: jsonSchema.optional() }, { error: 'a map with json_schema' }).optional(),
    retry: z
      .object(
        {
          max_retries: count,
          checks: z.array(
            z.object({ type: text.optional(), command: filledText }, { error: 'a map with type and command' }),
            { error: 'a list of checks' },
          ),
          on_failure: filledText.optional(),
          timeout_seconds: positive.optional(),
          on_failure_timeout_seconds: positive.optional(),
        },
        { error: 'a map with max_retries and checks' },
      )
      .optional(),
    settings: z
      .object(
        {
          goose_provider: text.nullable().optional(),
          goose_model: text.nullable().optional(),
          temperature: z.number().nullable().optional(),
          max_turns: count.nullable().optional(),
        },
        { error: 'a map of settings' },
      )
      .nullable()
      .optional(),
    sub_recipes: z.array(anyJson, { error: 'a list of recipes' }).nullable().optional(),
    version: anyJson.optional(),
    activities: anyJson.optional(),
    author: anyJson.optional(),
  },
  { error: 'a recipe: a map with title' },
);
export type GooseRecipe = z.infer<typeof gooseRecipe>;
