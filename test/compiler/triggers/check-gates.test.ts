import { describe, expect, it } from 'vitest';
import { compileText } from '../helpers/temporary-project.js';

const found = (steps: string, files: Record<string, string> = {}): string[] =>
  compileText(`name: nightly\nschedule: "0 2 * * *"\nsteps:\n${steps}`, files)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, file, line, message, suggestion }) => `${code} ${file}:${line} ${message} (${suggestion ?? ''})`);
const NEEDS = 'Runs of this definition start by themselves, so that nobody may be there; the gate';

describe('the gates of a definition whose runs start by themselves', () => {
  it('have a deadline and a fallback, or are told where they are', () => {
    expect(found('  - id: go\n    approval: Go?\n')).toEqual([
      `unattended-gate flow.yml:5 ${NEEDS} \`go\` needs a \`deadline\` and a \`fallback\`. ` +
        '(write `deadline: 8h` and `fallback: …` beside it)',
    ]);
    expect(found('  - approval: Go?\n    fallback: skip\n')).toEqual([
      `unattended-gate flow.yml:4 ${NEEDS} \`0\` needs a \`deadline\`. (write \`deadline: 8h\` beside it)`,
    ]);
    expect(found('  - ask: Which?\n    deadline: 1h\n')).toEqual([
      `unattended-gate flow.yml:4 ${NEEDS} \`0\` needs a \`default\`. (write \`default: …\` beside it)`,
    ]);
    expect(found('  - approval: {message: Go?, options: [a, b], fallback: approve, deadline: 1h}\n')).toEqual([
      expect.stringContaining('needs a `default`') as string,
    ]);
    expect(found('  - approval: {message: Go?, fallback: abort, deadline: 1h}\n')).toEqual([]);
    expect(found('  - approval: Go?\n    default: reject\n    deadline: 1h\n')).toEqual([]);
    expect(found('  - ask: Which?\n    default: this\n    deadline: 1h\n')).toEqual([]);
  });

  it('are looked for in loops, at the end, and in what is nested, where they are told', () => {
    const gate = '- approval: Go?';
    expect(found(`  - foreach: [1]\n    steps:\n      ${gate}\n`)).toEqual([
      expect.stringContaining('flow.yml:6') as string,
    ]);
    expect(found(`  - command: [echo]\nfinally:\n  ${gate}\n`)).toEqual([
      expect.stringContaining('flow.yml:6') as string,
    ]);
    expect(
      found('  - workflow: inner.yml\n  - workflow: inner.yml\n', { 'inner.yml': `name: inner\nsteps:\n  ${gate}\n` }),
    ).toEqual([expect.stringContaining('inner.yml:3') as string]);
  });

  it('are no step that waits for a person by its severity: it would always be refused', () => {
    const push = '  - id: push\n    command: [git, push]\n    severity: high\n';
    expect(found(push)).toEqual([expect.stringContaining('`push` waits for a person before it acts') as string]);
    expect(found(`${push}autonomy: autonomous\n`)).toEqual([]);
    expect(found(push, { 'perdure.yml': 'autonomy: hitl\n' })).toHaveLength(1);
  });

  it('are not asked for where people start the runs', () => {
    expect(compileText('steps:\n  - approval: Go?\n').problems).toEqual([]);
  });
});
