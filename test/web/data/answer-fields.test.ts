import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/plan/gates/gate.js';
import type { Json } from '../../../src/plan/values/json.js';
import { answerIn, fieldsOf, presetText } from '../../../src/web/data/answer-fields.js';

const HIDDEN = '\u200b\u202e';

/** A question with these properties, all of them needed. */
function asking(properties: Record<string, Json>): Gate {
  const schema = { type: 'object', required: Object.keys(properties), properties };
  const rest = { path: 'q', message: 'Which?', content: null, fallback: 'abort', since: '', hash: 'sha256:0' } as const;
  return { kind: 'ask', schema, ...rest };
}

/** What a browser sends of a form that nobody changes but for these texts, by the names of the properties. */
function filled(gate: Gate, typed: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    (fieldsOf(gate) ?? []).map((field) => [field.sent, typed[field.name] ?? presetText(field).text]),
  );
}

describe('the answer that a form means', () => {
  it.each([`a${HIDDEN}b`, 'two\nlines', '__proto__', 'comment', 'decision', 'field:1'])(
    'has what was typed under the name %j',
    async (name) => {
      const gate = asking(Object.fromEntries([[name, { type: 'string' }]]));
      expect(JSON.stringify(await answerIn(filled(gate, Object.fromEntries([[name, 'typed']])), gate))).toBe(
        JSON.stringify(Object.fromEntries([[name, 'typed']])),
      );
    },
  );

  it('keeps a preset as it is, also with characters that are not drawn', async () => {
    const preset = `x\ty${HIDDEN}z\\u{200b}`;
    const gate = asking({ notes: { type: 'string', default: preset } });
    expect(presetText({ preset }).text).toContain('\\u{202e}');
    expect(await answerIn(filled(gate, {}), gate)).toEqual({ notes: preset });
  });

  it('takes a text as it was typed where nothing in its preset is hidden', async () => {
    const gate = asking({ notes: { type: 'string', default: 'x' } });
    expect(await answerIn(filled(gate, { notes: 'an escape: \\u{200b}' }), gate)).toEqual({
      notes: 'an escape: \\u{200b}',
    });
  });
});
