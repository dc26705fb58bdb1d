import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import { onTerminal as typeOn } from '../hostile/on-terminal.js';

const ASKS = `name: asks
steps:
  - id: text
    command: [seq, "40"]
  - id: ok
    approval: "Save this?"
    content: "\${steps.text.output}"
  - id: done
    command: [printf, "saved %s lines", "40"]
`;

/** While `first` is asked, another gate opens that is for somebody else. */
const OTHERS = `name: others
execution: dag
steps:
  - id: first
    approval: "Delete the database?"
  - id: meanwhile
    wait: 1s
  - id: second
    needs: [meanwhile]
    approval: "Fix the typo?"
    required_approver: boss
`;
const TURNS = `name: turns
steps:
  - id: first
    approval: "Go on?"
  - id: second
    approval: "And now?"
    required_approver: boss
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'asks.yml': ASKS, 'others.yml': OTHERS, 'turns.yml': TURNS });
});
afterAll(() => project.close());

/** What a person sees of a command on a terminal, answered as they would. */
async function onTerminal(
  args: string[],
  answers: [string, string][],
): Promise<{ code: number | null; screen: string }> {
  const { code, bytes } = await typeOn(project, args, answers);
  return { code, screen: stripVTControlCharacters(bytes).replaceAll('\r', '') };
}

const LATER = 'later ';

describe('a gate on a terminal', () => {
  it('shows the head of what it approves with its hash, and goes on with a key once the rest was opened', async () => {
    const { code, screen } = await onTerminal(
      ['run', 'asks.yml', '--id', 'yes'],
      [
        [LATER, 'a'],
        [LATER, 'o'],
        [LATER, 'a'],
        ['any other key', 'y'],
      ],
    );
    expect(code).toBe(0);
    expect(screen).toMatch(/◆ yes\/ok wants approval: Save this\? +sha256 [0-9a-f]{4}…[0-9a-f]{4}/);
    expect(screen).toMatch(/┌─ 40 lines; `e` opens it ─+\n {2}│ 1\n/);
    expect(screen).toContain('╰ … 29 more lines\n  If it is approved: 1 step can begin\n');
    expect(screen).toContain('29 lines of this have not been on the screen: `o` opens all of it,');
    expect(screen).toMatch(/✓ 1 ok +gate +approved by /);
    expect(screen.trimEnd().split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^✓ asks · success in .* · 3 steps$/),
      'saved 40 lines',
    ]);
  });

  it('takes the reason of a rejection; an empty one asks again', async () => {
    const { code, screen } = await onTerminal(
      ['run', 'asks.yml', '--id', 'no'],
      [
        [LATER, 'r'],
        ['why? ', '\r'],
        [LATER, 'r'],
        ['why? ', 'not yet\r'],
      ],
    );
    expect(code).toBe(1);
    expect(screen).toContain(': not yet');
  });

  it('takes keys that come all at once, and those that were typed ahead', async () => {
    const { code, screen } = await onTerminal(
      ['run', 'asks.yml', '--id', 'ahead'],
      [['run ahead', 'xrnot\u007f\u007f\u007fnever\r']],
    );
    expect(code).toBe(1);
    expect(screen).toContain(': never');
  });

  it('prints all of it with `o`, and is left for later with Ctrl-C', async () => {
    const { code, screen } = await onTerminal(
      ['run', 'asks.yml', '--id', 'later'],
      [
        [LATER, 'o'],
        ['│ 40\r', '\u0003'],
      ],
    );
    expect(code).toBe(130);
    expect(screen).toContain('The run goes on. Come back with `perdure watch later`.');
    const { code: afterwards } = await onTerminal(
      ['watch', 'later'],
      [
        [LATER, 'o'],
        [LATER, 'a'],
        ['any other key', 'y'],
      ],
    );
    expect(afterwards).toBe(0);
  });

  it('shows what a narrator says meanwhile once it is decided', async () => {
    const watching = onTerminal(['run', 'asks.yml', '--id', 'told', '--narrate'], []);
    const said = '"key":"ok waiting"';
    await until(async () => (await project.read('.perdure/narration/told.ndjson')).includes(said));
    expect((await project.run('approve', 'told', '--as', 'ana')).code).toBe(0);
    const { screen } = await watching;
    const [asked, decided] = [screen.indexOf('wants approval'), screen.indexOf('approved by ana')];
    expect(screen.slice(asked, decided)).not.toMatch(/~ narrator, \w+: .*“ok”/);
    expect(screen.slice(asked)).toMatch(/~ narrator, encouraging: .*“ok”/);
  });

  it('keeps the screen to itself: another gate that opens meanwhile is told once it is decided', async () => {
    const watching = onTerminal(['run', 'others.yml', '--id', 'others'], []);
    await until(async () => (await project.run('list', '--waiting')).stdout.includes('Fix the typo?'));
    expect((await project.run('approve', 'others/first', '--as', 'ana')).code).toBe(0);
    expect((await project.run('approve', 'others/second', '--as', 'boss')).code).toBe(0);
    const { code, screen } = await watching;
    expect(code).toBe(0);
    const asked = screen.indexOf('wants approval: Delete the database?');
    const gone = screen.indexOf('waits for approval: Fix the typo?');
    expect(asked).toBeGreaterThan(0);
    expect(gone).toBeGreaterThan(screen.indexOf('approved by ana', asked));
  });

  it('shows the run as it is after an answer, also where it waits for somebody else then', async () => {
    const { code, screen } = await onTerminal(
      ['run', 'turns.yml', '--id', 'turns'],
      [
        [LATER, 'a'],
        ['1 of 100 steps', '\u0003'],
      ],
    );
    expect(code).toBe(130);
    expect(screen).toMatch(/✓ 0 first/);
  });

  it('goes away when somebody else decides it', async () => {
    const watching = onTerminal(['run', 'asks.yml', '--id', 'elsewhere'], []);
    for (;;) if ((await project.run('approve', 'elsewhere', '--as', 'ana')).code === 0) break;
    const { code, screen } = await watching;
    expect(code).toBe(0);
    expect(screen).toContain('approved by ana');
  });
});
