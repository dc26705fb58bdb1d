import { describe, expect, it } from 'vitest';
import { compileText } from '../helpers/temporary-project.js';

const compiled = (webhook: string) =>
  compileText(
    `name: hooked\non: {webhook: ${webhook}}\ninputs: {job: {type: string}}\nsteps:\n  - command: [echo, "\${job}"]\n`,
  );
const wrong = (webhook: string): string[] =>
  compiled(webhook).problems.map(({ code, line, message }) => `${code} ${line} ${message}`);
const SIGNED = 'signature: standard, secret: "${env.HOOK_SECRET}"';

describe('a webhook', () => {
  it('names the variable of its secret, and has limits where none are said', () => {
    const { triggers, problems } = compiled(`{${SIGNED}, inputs: {job: "\${event.body.job}"}}`);
    expect(problems).toEqual([]);
    expect(triggers.webhook).toMatchObject({
      signature: 'standard',
      secret: 'HOOK_SECRET',
      when: null,
      max_bytes: 262_144,
      max_per_minute: 60,
      max_open: 10,
    });
  });

  it.each([
    ['{signature: standard, secret: plain, inputs: {job: x}}', 'invalid-value 2 Expected a reference to a variable'],
    ['{signature: none, secret: "${env.S}", inputs: {job: x}}', 'invalid-value 2 Expected one of standard, github'],
    ['{secret: "${env.S}", inputs: {job: x}}', 'missing-key 2 Expected `signature`'],
    [`{${SIGNED}, when: "job", inputs: {job: x}}`, 'when-not-expression 2'],
    [`{${SIGNED}, when: "\${event.bdy}", inputs: {job: x}}`, 'unknown-field 2 The event has no `bdy`'],
    [`{${SIGNED}, max_kb: 2000, inputs: {job: x}}`, 'invalid-value 2 Expected a whole number from 1 to 1024'],
    [`{${SIGNED}}`, 'missing-input 2 The workflow needs the input `job`'],
  ])('is refused where it is wrong: %s', (webhook, told) => {
    expect(wrong(webhook)).toEqual([expect.stringContaining(told)]);
  });

  it('never says a secret that was written out', () => {
    expect(
      JSON.stringify(compiled('{signature: github, secret: hunter2hunter2, inputs: {job: x}}').problems),
    ).not.toContain('hunter2');
  });
});
