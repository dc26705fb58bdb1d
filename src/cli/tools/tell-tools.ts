import { printProblems } from '../../compiler/problems/print-problems.js';
import type { Invocation } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { clip, displayWidth, fit } from '../text/width.js';
import { openWorkspace } from '../session.js';
import { print, printJson, tell, widthOf } from '../terminal.js';
import type { ListedTool } from './list-tools.js';
import { listTools } from './list-tools.js';

/** `tools list`: every tool that may be named here, with who has it. */
export async function tellTools({ options, terminal }: Pick<Invocation, 'options' | 'terminal'>): Promise<ExitCode> {
  const { tools, taken, problems, sources } = await listTools(
    await openWorkspace(terminal),
    { ask: options.flag('servers') },
    terminal,
  );
  if (options.flag('json'))
    printJson(
      terminal,
      tools.map((tool) => ({ ...tool })),
    );
  else {
    const names = Math.min(40, Math.max(0, ...tools.map(({ name }) => displayWidth(safeName(name)))));
    for (const tool of tools) print(terminal, rowOf(tool, names, widthOf(terminal.stdout)));
  }
  for (const { missing, suggestion } of taken) tell(terminal, `${missing} ${suggestion ?? ''}`.trim());
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    tell(terminal, printProblems(errors, sources, { files: sources.size, color: terminal.palette.colored }).trimEnd());
  return EXIT.success;
}

/** A tool in one line: its name, where it comes from, and as much of its description as fits. */
function rowOf({ name, source, description }: ListedTool, names: number, width: number): string {
  const head = `${fit(safeName(name), names)}  ${fit(source, 7)}`;
  return `${head}  ${clip(safeLine(description ?? ''), width - displayWidth(head) - 2)}`.trimEnd();
}
