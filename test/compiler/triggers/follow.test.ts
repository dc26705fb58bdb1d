import { describe, expect, it } from 'vitest';
import { followText } from '../../../src/plan/triggers/follow.js';
import { brief, compileText } from '../helpers/temporary-project.js';

const OTHER = 'name: report\nsteps:\n  - command: [echo]\n';
const compiled = (run: string, files: Record<string, string> = {}) =>
  compileText(
    `name: after\non: {run: ${run}}\ninputs: {text: {type: string}}\nsteps:\n  - command: [echo, "\${text}"]\n`,
    { 'definitions/workflows/report.yml': OTHER, ...files },
  );
const wrong = (run: string, files: Record<string, string> = {}): string[] =>
  compiled(run, files).problems.map(({ code, line, message }) => `${code} ${line} ${message}`);
const INPUTS = 'inputs: {text: "${event.output}"}';

describe('what starts when runs end', () => {
  it('follows a definition by its name, to ends that have an output where none are said', () => {
    const { triggers, problems } = compiled(`{definition: report, ${INPUTS}}`);
    expect(problems.map(brief)).toEqual([]);
    expect(triggers.follow).toMatchObject({ definitions: ['report'], ends: ['success', 'partial'], when: null });
  });

  it('follows several, by paths too, to the ends that are said, and where a condition holds', () => {
    const { triggers, problems } = compiled(
      `{definition: [report, ./near.yml], ends: error, when: "\${event.usd > 1}", ${INPUTS}}`,
      { 'near.yml': 'name: beside\nsteps:\n  - command: [echo]\n' },
    );
    expect(problems.map(brief)).toEqual([]);
    const { follow } = triggers;
    expect(follow).toMatchObject({ definitions: ['report', 'beside'], ends: ['error'], when: { kind: 'binary' } });
    expect(follow === undefined ? '' : followText(follow)).toBe('after report, beside: error');
  });

  it.each([
    [`{definition: reprt, ${INPUTS}}`, 'unknown-workflow 2 There is no workflow `reprt`.'],
    [`{${INPUTS}}`, 'missing-key 2 Expected `definition`'],
    [`{definition: report, ends: done, ${INPUTS}}`, 'invalid-value 2 Expected one of success, partial, error'],
    ['{definition: report, inputs: {text: "${event.body}"}}', 'unknown-field 2 The event has no `body`'],
    [`{definition: report, when: "event", ${INPUTS}}`, 'when-not-expression 2'],
    ['{definition: report}', 'missing-input 2 The workflow needs the input `text`'],
  ])('is refused where it is wrong: %s', (run, told) => {
    expect(wrong(run)).toEqual([expect.stringContaining(told)]);
  });

  it('never comes back to itself, not by others either', () => {
    const of = (name: string, follows: string): string =>
      `name: ${name}\non: {run: {definition: ${follows}}}\nsteps:\n  - command: [echo]\n`;
    const told = 'trigger-cycle 2 Runs of these definitions would start each other for ever:';
    expect(wrong(`{definition: ./flow.yml, ${INPUTS}}`)).toEqual([`${told} after → after.`]);
    const back = { 'two.yml': of('two', './flow.yml') };
    expect(wrong(`{definition: ./two.yml, ${INPUTS}}`, back)).toEqual([`${told} after → two → after.`]);
    const chain = { 'two.yml': of('two', 'report') };
    expect(wrong(`{definition: [./two.yml, report], ${INPUTS}}`, chain)).toEqual([]);
  });

  it('has gates with a deadline and a fallback, as all that starts by itself', () => {
    const { problems } = compileText('name: after\non: {run: {definition: report}}\nsteps:\n  - approval: Go?\n', {
      'definitions/workflows/report.yml': OTHER,
    });
    expect(problems.map(({ code }) => code)).toEqual(['unattended-gate']);
  });
});
