import type { Gate } from '../../plan/gate.js';
import type { Json } from '../../plan/json.js';
import { toText } from '../../plan/json.js';
import { CliError } from '../exit-codes.js';
import type { OpenGate } from '../observe/view.js';
import { optionText } from '../render/gate-words.js';
import { safeText } from '../render/safe-text.js';
import type { Terminal } from '../terminal.js';
import { heightOf, tell, widthOf } from '../terminal.js';
import { answerValue } from './answer-value.js';
import { editContent, hasEditor } from './editor.js';
import type { GateContent } from './gate-content.js';
import { renderGate } from './gate-text.js';
import type { Keys } from './keys.js';
import { CTRL_C, openKeys } from './keys.js';
import { openInPager } from './pager.js';

/** What a person answered; `later` leaves the gate open, `gone` says that it was decided elsewhere meanwhile. */
export type Answer =
  | { kind: 'approve'; edited: Json | undefined }
  | { kind: 'answer'; value: Json }
  | { kind: 'reject'; comment: string }
  | { kind: 'later' }
  | { kind: 'gone' };

/** A gate that is being asked about. */
interface Asking {
  open: OpenGate;
  content: GateContent | null;
  /** The content as it was edited here. */
  edited: Json | undefined;
  terminal: Terminal;
  keys: Keys;
}

/** Shows a gate on a terminal and asks until somebody decides; `gone` aborts when nothing is left to decide. */
export async function askGate(open: OpenGate, content: GateContent | null, terminal: Terminal, gone: AbortSignal): Promise<Answer> {
  const keys = openKeys(terminal, gone);
  const asking: Asking = { open, content, edited: undefined, terminal, keys };
  try {
    show(asking, content?.shown ?? null);
    for (;;) {
      const key = await keys.key();
      if (gone.aborted) return { kind: 'gone' };
      if (key === CTRL_C) return { kind: 'later' };
      const answer = await react(asking, key.toLowerCase());
      if (gone.aborted) return { kind: 'gone' };
      if (answer !== null) return answer;
    }
  } finally {
    keys.close();
  }
}

function show({ open, terminal }: Asking, text: string | null): void {
  const style = { width: widthOf(terminal.stderr), height: heightOf(terminal.stderr), palette: terminal.palette };
  tell(terminal, '', ...renderGate(open, text, style), choices(open.gate, terminal));
}

/** What a key does; null when the person is asked again. */
async function react(asking: Asking, key: string): Promise<Answer | null> {
  const { gate } = asking.open;
  if (gate.options !== undefined && /[1-9]/.test(key)) {
    const value = gate.options[Number(key) - 1];
    return value === undefined ? null : { kind: 'answer', value };
  }
  if (key === 'a' && gate.options === undefined) return gate.kind === 'ask' ? readAnswer(asking) : { kind: 'approve', edited: asking.edited };
  if (key === 'r' && gate.kind === 'approval') return readReason(asking);
  if (asking.content !== null && (key === 'e' || key === 'o')) await look(asking, asking.content, key);
  return null;
}

/** Opens the content: to edit it where that may be done, else to read all of it. */
async function look(asking: Asking, content: GateContent, key: string): Promise<void> {
  const { open: { gate }, terminal, keys } = asking;
  if (key === 'e' && hasEditor(terminal) && !gate.fixed) return edit(asking, content);
  await keys.lend(() => openInPager(safeText(content.shown), terminal));
  tell(terminal, '', choices(gate, terminal));
}

async function readReason({ open: { gate }, terminal, keys }: Asking): Promise<Answer | null> {
  const comment = (await keys.line('  why? '))?.trim() ?? '';
  if (comment !== '') return { kind: 'reject', comment };
  tell(terminal, choices(gate, terminal));
  return null;
}

async function readAnswer({ open: { gate }, terminal, keys }: Asking): Promise<Answer | null> {
  const text = await keys.line('  your answer: ');
  if (text !== null && text.trim() !== '') return { kind: 'answer', value: answerValue(text, gate) };
  tell(terminal, choices(gate, terminal));
  return null;
}

async function edit(asking: Asking, content: GateContent): Promise<void> {
  try {
    const before = asking.edited ?? content.text;
    const edited = await asking.keys.lend(() => editContent(before, content.isText, asking.terminal));
    // Who only looked has edited nothing: the approval stays one of what the gate shows.
    if (edited.text === toText(before)) return tell(asking.terminal, '  Nothing was changed.', choices(asking.open.gate, asking.terminal));
    asking.edited = edited.value;
    show(asking, edited.text);
    tell(asking.terminal, '  This is the content as you edited it; `a` approves it.');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tell(asking.terminal, `  ${error.message}`, choices(asking.open.gate, asking.terminal));
  }
}

function choices({ kind, options, content, fixed }: Gate, terminal: Terminal): string {
  const { palette } = terminal;
  const key = (what: string, name: string): string => `${what} ${palette.bold(`[${name}]`)}`;
  const answers = options?.slice(0, 9).map((option, index) => key(optionText(option), String(index + 1))) ?? [key(kind === 'ask' ? 'answer' : 'approve', 'a')];
  const rejecting = kind === 'approval' ? [key('reject with a reason', 'r')] : [];
  const looking = content === null ? [] : [key(fixed || !hasEditor(terminal) ? 'open' : 'edit', 'e')];
  return `  ${[...answers, ...rejecting, ...looking, key('later', 'Ctrl-C')].join('   ')}`;
}
