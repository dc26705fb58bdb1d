// @seconds 40
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProject, until } from './project.js';
import { FULL, random } from './seed.js';
import type { Victim } from './strike.js';
import { strike } from './strike.js';

const EDITS = 10;

/**
 * Each edit finds only what the one before it left, and two steps in a row look at it; a short command after them lets
 * the blow fall anywhere, but not after the end.
 */
const WORKFLOW = `name: edits
durability: synced
steps:
${Array.from(
  { length: EDITS },
  (_, index) => `  - id: edit-${index}
    tool: edit_file
    inputs: {path: count.txt, old_text: "at ${index}.", new_text: "at ${index + 1}."}
  - {id: look-${index}, tool: read_file, inputs: {path: count.txt}}
  - {id: again-${index}, tool: read_file, inputs: {path: count.txt}}
  - id: pause-${index}
    command: [sleep, "0.05"]
    timeout: 10s
`,
).join('')}  - id: held
    command: [sh, -c, 'until [ -e go ]; do sleep 0.05; done']
  - id: read
    tool: read_file
    inputs: {path: count.txt}
`;

const HIT: Victim[] = ['host', 'server', 'everything'];

describe('kill -9 in a row of tools that take a moment', () => {
  const draw = random('quick tools');
  const moments = Array.from({ length: FULL ? 12 : 3 }, (_, index) => ({
    victim: HIT[index % HIT.length] ?? 'everything',
    after: 1 + Math.floor(draw() * (EDITS - 2)),
  }));

  it.each(moments)('of the $victim after edit $after: no edit is made twice, and none is lost', async (moment) => {
    const project = await openProject({ 'definitions/workflows/edits.yml': WORKFLOW, 'count.txt': 'at 0.\n' });
    try {
      const args = ['run', 'definitions/workflows/edits.yml', '--id', 'edits', '--json'];
      const first = project.start(...args);
      await until(async () => Number(/\d+/.exec(await project.read('count.txt'))?.[0]) >= moment.after);
      expect(first.process.exitCode).toBeNull();
      await strike(project, moment.victim, first.process.pid);
      await writeFile(join(project.folder, 'go'), '');
      if (moment.victim === 'everything') await first.finished;
      const again = await project.run(...args);
      const { status, steps, error } = JSON.parse(again.stdout) as {
        status: string;
        error: string | null;
        steps: { id: string; status: string; output: unknown }[];
      };
      const text = await project.read('count.txt');
      const seen = steps.filter(({ id, status: how }) => /^(?:look|again)-/.test(id ?? '') && how === 'success');
      for (const { id, output } of seen) expect(output).toContain(`at ${Number(id.split('-')[1]) + 1}.`);
      const done = steps.filter(({ id, status: how }) => id?.startsWith('edit-') && how === 'success').length;
      if (status === 'success') {
        expect({ text, done, looks: seen.length }).toEqual({ text: `at ${EDITS}.\n`, done: EDITS, looks: 2 * EDITS });
        return;
      }
      // The blow fell between an edit and its journal: it is not made again, and somebody is told to look.
      expect(error).toContain('The outcome of `edit_file` is unknown');
      expect([`at ${done}.\n`, `at ${done + 1}.\n`]).toContain(text);
    } finally {
      await project.close();
    }
  });
});
