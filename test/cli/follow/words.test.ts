import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listenToModels } from '../../../src/cli/follow/words.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { renderScreen } from '../../../src/cli/render/screen.js';
import { displayWidth } from '../../../src/cli/text/width.js';
import { openStore } from '../../../src/store/local-store.js';
import type { LogLine } from '../../../src/store/logs/line.js';
import { agentStep, commandStep, ended, runView, stepView } from '../helpers/views.js';

const running = runView([
  stepView(agentStep(0, 'look'), { status: 'running', startedAt: 0 }),
  stepView(commandStep(1, ['true']), { status: 'pending' }),
]);
const SAYS = /^ {4}(\S.*)$/m;

/** What stands below the running agent, as its log goes on. */
async function listening() {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-words-'));
  const store = await openStore(join(folder, '.perdure'));
  const words = listenToModels(store);
  onTestFinished(async () => {
    words.close();
    await rm(folder, { recursive: true, force: true });
  });
  words.of(running);
  return {
    words,
    log: async (...lines: [stream: LogLine['stream'], text: string][]): Promise<void> => {
      const log = store.openLog(running.run, 'look');
      for (const [stream, text] of lines) log.write(stream, text);
      await log.close();
    },
    screen: (view = running): string[] =>
      renderScreen(view, 0, { width: 60, height: 24, palette: createPalette(false), frame: 0, says: words.at }),
  };
}

it('a live tree shows below an agent what its model says, as it comes, until a tool is called', async () => {
  const { log, screen } = await listening();
  const said = (): string | undefined => SAYS.exec(screen().join('\n'))?.[1];
  expect(said()).toBeUndefined();
  await log(['note', 'turn 1'], ['text', 'First line.\nThe defects ']);
  await expect.poll(said).toBe('The defects');
  await log(['text', 'are in \u001b[31mparse.ts']);
  await expect.poll(said).toBe('The defects are in \\u{1b}[31mparse.ts');
  await log(['note', '→ 1.1 read_file {}']);
  await expect.poll(said).toBeUndefined();
  await log(['text', `${'word '.repeat(40)}end`]);
  await expect.poll(said).toMatch(/^….*word end$/);
  expect(
    screen()
      .filter((line) => line.includes('word end'))
      .map((line) => displayWidth(line) > 60),
  ).toEqual([false]);
});

it('words of a step that has ended are not shown', async () => {
  const { log, words, screen } = await listening();
  await log(['text', 'Hello']);
  await expect.poll(() => words.at('look')).toBe('Hello');
  const over = runView([stepView(agentStep(0, 'look'), ended('success'))]);
  words.of(over);
  expect(words.at('look')).toBeNull();
  expect(screen(over).join('\n')).not.toContain('Hello');
});
