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

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'asks.yml': ASKS });
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

  it('goes away when somebody else decides it', async () => {
    const watching = onTerminal(['run', 'asks.yml', '--id', 'elsewhere'], []);
    for (;;) if ((await project.run('approve', 'elsewhere', '--as', 'ana')).code === 0) break;
    const { code, screen } = await watching;
    expect(code).toBe(0);
    expect(screen).toContain('approved by ana');
  });
});
