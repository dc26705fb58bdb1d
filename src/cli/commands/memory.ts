import { relative } from 'node:path';
import type { CommandSpec, Invocation } from '../command.js';
import { AS_OPTION, JSON_OPTION, checkWords } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { MEMORY_CATEGORIES } from '../../plan/tools/memory.js';
import type { Terminal } from '../terminal.js';
import { actingName, print, printJson, tell } from '../terminal.js';

const MOST_CHARACTERS = 8_000;
const TOLD_LINES = 10;

export const memory: CommandSpec = {
  name: 'memory',
  summary: 'what agents are told from run to run: add, search, list, remove',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: ['add', 'search', 'list', 'remove'] },
    { syntax: '[text]', about: 'what to remember, the words to look for, or the id to remove' },
  ],
  options: [
    {
      flags: '--category <name>',
      about: 'what kind of thing it is; `decision` when left out',
      choices: MEMORY_CATEGORIES,
    },
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: [
    'perdure memory add "Dates are ISO 8601, in UTC." --category convention',
    'perdure memory search dates',
    'perdure memory remove mem-a1b2c3d4',
  ],
  async run(invocation) {
    const {
      arguments: [action, text = ''],
      options,
      terminal,
    } = invocation;
    checkWords('memory', invocation.arguments, { list: 0 });
    if (action !== 'list' && text.trim() === '')
      throw usageError(
        `Expected ${action === 'remove' ? 'the id of a memory' : 'a text'} after \`memory ${String(action)}\`.`,
      );
    if (action === 'add' && text.length > MOST_CHARACTERS)
      throw usageError(
        `Expected at most ${String(MOST_CHARACTERS)} characters, got ${String(text.length)}.`,
        'Remember less, in several pieces.',
      );
    const { openSession } = await import('../session.js');
    const { store } = await openSession(terminal, { taskQueue: null, lookOnly: action !== 'add' });
    const category = MEMORY_CATEGORIES.find((name) => name === options.text('category'));
    switch (action) {
      case 'add':
        return tellAdded(
          await store.addMemory({
            category: category ?? 'decision',
            text: text.trim(),
            by: actingName(options.text('as')),
          }),
          invocation,
        );
      case 'remove':
        if (!(await store.removeMemory(text)))
          throw usageError(`There is no memory \`${text}\`.`, '`perdure memory list` shows all.');
        if (options.flag('json')) printJson(terminal, { removed: text });
        return EXIT.success;
      default:
        await tellFound(await store.searchMemories({ query: action === 'search' ? text : '', category }), invocation);
        await tellUnread(await store.unreadMemories(), terminal);
        return EXIT.success;
    }
  },
};

interface Told {
  id: string;
  category: string;
  text: string;
}

function tellAdded({ id, category, text }: Told, { options, terminal }: Invocation): ExitCode {
  if (options.flag('json')) printJson(terminal, { id, category, text });
  else print(terminal, id);
  return EXIT.success;
}

async function tellFound(found: Told[], { options, terminal }: Invocation): Promise<void> {
  const { safeLine } = await import('../text/safe-text.js');
  if (options.flag('json'))
    printJson(
      terminal,
      found.map((memory) => ({ ...memory })),
    );
  else if (found.length === 0) tell(terminal, 'Nothing is remembered that fits.');
  else
    print(
      terminal,
      found.map(({ id, category, text }) => `${id}  ${category.padEnd(15)}  ${safeLine(text)}`).join('\n'),
    );
}

/** Lines that others wrote, or a crash has cut: a list without a word of them would say that nothing was there. */
async function tellUnread(unread: { file: string; lines: number[] } | null, terminal: Terminal): Promise<void> {
  if (unread === null) return;
  const { safeName } = await import('../text/safe-text.js');
  const { file, lines } = unread;
  const [first, ...others] = lines;
  const which =
    others.length === 0
      ? `Line ${String(first)}`
      : `Lines ${lines.slice(0, TOLD_LINES).join(', ')}${lines.length > TOLD_LINES ? ' and more' : ''}`;
  const is = others.length === 0 ? 'is no memory that can be read and is' : 'are no memories that can be read and are';
  tell(terminal, `${which} of \`${safeName(relative(terminal.cwd, file))}\` ${is} not listed.`);
}
