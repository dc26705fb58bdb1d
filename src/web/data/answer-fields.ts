import type { Gate } from '../../plan/gates/gate.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { answerValue } from '../../cli/follow/input/answer-value.js';
import { refusal } from '../../cli/exit-codes.js';
import type { FieldText } from './field-text.js';
import { fromField, toField } from './field-text.js';

/** One field of a form that is made of an answer's schema. */
export interface Field {
  /** The name of the property, as the schema has it. */
  name: string;
  /**
   * The name under which a form sends it. It is made of the place alone: what a schema says can be no other part of the
   * form, and characters that are not drawn, which a page has as escapes, would not come back.
   */
  sent: string;
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice';
  required: boolean;
  description: string | null;
  /** Of a choice. */
  choices: Json[];
  preset: Json | undefined;
}

/** What a form has sent: the last text of each field. */
export type Sent = Record<string, string | undefined>;

/**
 * The fields for an answer that is an object of plain values; null for any other, which is one text. The run says
 * whether the answer fits: this only saves people from typing JSON.
 */
export function fieldsOf({ kind, options, schema }: Pick<Gate, 'kind' | 'options' | 'schema'>): Field[] | null {
  if (kind !== 'ask' || options !== undefined || !isObject(schema) || schema['type'] !== 'object') return null;
  const { properties, required } = schema;
  if (!isObject(properties) || Object.keys(properties).length === 0) return null;
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, property], index) =>
    fieldOf({ name, sent: `field:${index}`, required: needed.includes(name) }, property),
  );
  return fields.every((field) => field !== null) ? fields : null;
}

function fieldOf(known: Pick<Field, 'name' | 'sent' | 'required'>, property: Json): Field | null {
  if (!isObject(property)) return null;
  const { type, enum: choices, description, default: preset } = property;
  const rest = { ...known, description: typeof description === 'string' ? description : null, preset };
  if (Array.isArray(choices)) return { ...rest, kind: 'choice', choices };
  if (type === 'string') return { ...rest, kind: 'text', choices: [] };
  if (type === 'number' || type === 'integer' || type === 'boolean') return { ...rest, kind: type, choices: [] };
  return null;
}

/** The text that stands in a field when its form opens. */
export function presetText({ preset }: Pick<Field, 'preset'>): FieldText {
  return toField(typeof preset === 'string' ? preset : '');
}

/** The answer that a form means. Throws a refusal for what is none. */
export async function answerIn(sent: Sent, gate: Gate): Promise<Json> {
  const fields = fieldsOf(gate);
  if (fields === null) return answerValue((sent['value'] ?? '').replaceAll('\r\n', '\n'), gate);
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field, sent[field.sent] ?? '');
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

/** Undefined for a field that was left empty and may be. */
function valueOf(field: Field, text: string): Json | undefined {
  const { name, kind, required, choices } = field;
  if (text === '' && !(kind === 'text' && required)) return undefined;
  switch (kind) {
    case 'text':
      return fromField(text, presetText(field).escaped);
    case 'boolean':
      return text === 'true';
    case 'choice':
      return choices[Number(text)];
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (Number.isFinite(value) && (kind === 'number' || Number.isInteger(value))) return value;
      throw refusal(
        `Expected \`${name}\` to be ${kind === 'number' ? 'a number' : 'a whole number'}, got \`${text}\`.`,
      );
    }
  }
}
