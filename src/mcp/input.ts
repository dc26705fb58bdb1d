import { z } from 'zod';
import type { JsonObject } from '../plan/values/json.js';
import { yamlText } from '../compiler/text/yaml-text.js';

/** A text that says something. */
export function filled(about: string): z.ZodString {
  return z
    .string({ error: 'a text' })
    .refine((text) => text.trim() !== '', { error: 'a text that is not empty' })
    .describe(about);
}

/** The name of a definition. */
export function definitionName(about: string): z.ZodString {
  return z
    .string({ error: 'a name' })
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, { error: 'a name: a letter, then up to 62 letters, digits, `-` and `_`' })
    .describe(about);
}

/** A map of names to any JSON values: what came over the protocol is JSON. */
export function jsonMap(about: string): z.ZodType<JsonObject> {
  return z
    .record(z.string(), z.unknown(), { error: 'a map from names to values' })
    .describe(about) as unknown as z.ZodType<JsonObject>;
}

/** A definition that a client makes, as a map or as YAML. */
export function definition(about: { map: string; yaml: string; either: string }): z.ZodType<JsonObject | string> {
  return z.union([jsonMap(about.map), filled(about.yaml)], { error: 'a map, or YAML' }).describe(about.either);
}

/**
 * The text of what a client makes, `head` before what a map of it says; and what it says that it is for, where that is
 * a map.
 */
export function writtenText(made: JsonObject | string, head: JsonObject): { text: string; description: string | null } {
  if (typeof made === 'string') return { text: made, description: null };
  return {
    text: yamlText({ ...head, ...made }),
    description: typeof made['description'] === 'string' ? made['description'] : null,
  };
}

export const background = z
  .boolean({ error: 'true or false' })
  .default(false)
  .describe('true: give the handle of the run at once. false: wait for its result; after 50 s the handle is given.');

export const runId = filled('Id of a run, as another tool gave it.');
