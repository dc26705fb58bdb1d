import { z } from 'zod';
import type { JsonObject } from '../plan/json.js';

/** A text that says something. */
export function filled(about: string): z.ZodString {
  return z.string({ error: 'a text' }).refine((text) => text.trim() !== '', { error: 'a text that is not empty' }).describe(about);
}

/** The name of a definition. */
export function definitionName(about: string): z.ZodString {
  return z.string({ error: 'a name' }).regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, { error: 'a name: a letter, then up to 62 letters, digits, `-` and `_`' }).describe(about);
}

/** A map of names to any JSON values: what came over the protocol is JSON. */
export function jsonMap(about: string): z.ZodType<JsonObject> {
  return z.record(z.string(), z.unknown(), { error: 'a map from names to values' }).describe(about) as unknown as z.ZodType<JsonObject>;
}

export const background = z.boolean({ error: 'true or false' }).default(false).describe('true: give the handle of the run at once. false: wait for its result; after 50 s the handle is given.');

export const runId = filled('Id of a run, as another tool gave it.');
