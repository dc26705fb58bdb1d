import type { Gate } from '../../plan/gates/gate.js';
import { isEditable, isRejectable } from '../../plan/gates/gate.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import { indentBill } from '../bill/tell-bill.js';
import { CliError } from '../exit-codes.js';
import type { OpenGate } from '../observe/view/view.js';
import { createPalette } from '../text/colors.js';
import { plural } from '../text/format.js';
import { escapeHidden } from '../../plan/text/safe-text.js';
import { safeLine, safeText } from '../text/safe-text.js';
import { displayWidth, wrap } from '../text/width.js';
import type { Terminal } from '../terminal.js';
import { heightOf, tell, widthOf } from '../terminal.js';
import { answerValue } from './input/answer-value.js';
import { editContent, hasEditor } from './input/editor.js';
import type { GateContent } from './gate-content.js';
import { YES_OR_NO, frame, layoutGate } from './gate-text.js';
import type { Keys } from './input/keys.js';
import { CTRL_C, openKeys } from './input/keys.js';
import { openInPager } from './input/pager.js';

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
  /** What follows if it is approved, in lines. */
  bill: string[];
  /** The content as it was edited here. */
  edited: Json | undefined;
  /** What is shown now. */
  shown: string | null;
  /** Lines of it that are not on the screen. */
  unseen: number;
  /** All of it was opened. */
  opened: boolean;
  /** Keys are for something else: an editor, a line. */
  busy: boolean;
  terminal: Terminal;
  keys: Keys;
}

/** A window that is drawn larger or smaller tells of each step on its way. */
const RESIZED_MS = 150;

/** Shows a gate on a terminal and asks until somebody decides; `gone` aborts when nothing is left to decide. */
export async function askGate(
  { open, content, bill }: Pick<Asking, 'open' | 'content' | 'bill'>,
  terminal: Terminal,
  gone: AbortSignal,
): Promise<Answer> {
  const keys = openKeys(terminal, gone);
  const asking: Asking = {
    open,
    content,
    bill,
    edited: undefined,
    shown: null,
    unseen: 0,
    opened: false,
    busy: false,
    terminal,
    keys,
  };
  const stopWatching = watchSize(asking);
  try {
    await keys.settle();
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
    stopWatching();
    keys.close();
  }
}

function show(asking: Asking, text: string | null): void {
  const { terminal } = asking;
  const { lines, below, unseen } = layout(asking, text);
  asking.shown = text;
  asking.unseen = unseen;
  tell(terminal, '', ...lines, ...below);
}

/** The lines of a gate that shows this, those below them, and how many are not on the screen. */
function layout(
  { open, bill, terminal }: Asking,
  text: string | null,
): ReturnType<typeof layoutGate> & { below: string[] } {
  const width = widthOf(terminal.stderr);
  const below = [...indentBill(bill, width), ...choices(open.gate, terminal)];
  const height = heightOf(terminal.stderr) - below.length + 1;
  return { ...layoutGate(open, text, { width, height, palette: terminal.palette }), below };
}

/** Shows the gate again when the window has another size: what was on the screen may be no more. */
function watchSize(asking: Asking): () => void {
  const { stderr } = asking.terminal;
  let timer: NodeJS.Timeout | undefined;
  const onResize = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!asking.busy) show(asking, asking.shown);
    }, RESIZED_MS);
  };
  stderr.on('resize', onResize);
  return () => {
    clearTimeout(timer);
    stderr.removeListener('resize', onResize);
  };
}

/** What a key does; null when the person is asked again. */
async function react(asking: Asking, key: string): Promise<Answer | null> {
  const {
    open: { gate },
    content,
  } = asking;
  const chosen = gate.options !== undefined && /[1-9]/.test(key) ? gate.options[Number(key) - 1] : undefined;
  if (chosen !== undefined) return (await mayDecide(asking)) ? { kind: 'answer', value: chosen } : null;
  if (key === 'a') return decideBy(asking);
  if (key === 'r' && isRejectable(gate)) return whileBusy(asking, () => readReason(asking));
  if (key === 'o' || (key === 'e' && content !== null)) await whileBusy(asking, () => look(asking, content, key));
  return null;
}

/** An approval, or an answer in words where that is asked for. */
async function decideBy(asking: Asking): Promise<Answer | null> {
  const {
    open: { gate },
    edited,
  } = asking;
  if (takesText(gate)) return hasSeen(asking) ? whileBusy(asking, () => readAnswer(asking)) : null;
  return gate.options === undefined && (await mayDecide(asking)) ? { kind: 'approve', edited } : null;
}

/** Tells whether an answer is typed: to a question, or where there are more options than keys. */
function takesText({ kind, options }: Gate): boolean {
  return options === undefined ? kind === 'ask' : options.length > DIGITS;
}

/** What is approved was seen: on the screen, or opened; then a key of its own says so. */
async function mayDecide(asking: Asking): Promise<boolean> {
  const {
    unseen,
    terminal,
    keys,
    open: { gate },
  } = asking;
  if (!hasSeen(asking)) return false;
  if (unseen === 0) return true;
  say(
    terminal,
    `${plural(unseen, 'line')} of this ${unseen === 1 ? 'was' : 'were'} not on the screen. Decide on all of it?`,
  );
  say(terminal, YES_OR_NO);
  const isYes = await whileBusy(asking, async () => (await keys.key()).toLowerCase() === 'y' && !keys.wasAhead());
  if (!isYes) tell(terminal, ...choices(gate, terminal));
  return isYes;
}

/** One sentence below the keys. */
function say(terminal: Terminal, text: string): void {
  tell(terminal, ...wrap(text, widthOf(terminal.stderr) - 2).map((line) => `  ${line}`));
}

/** Tells whether all was shown that is decided on; else says how to see it. */
function hasSeen({ unseen, opened, terminal, keys, open: { gate } }: Asking): boolean {
  if (keys.wasAhead()) say(terminal, 'That key was typed before this was shown; press it again.');
  else if (unseen > 0 && !opened)
    say(
      terminal,
      `${plural(unseen, 'line')} of this ${unseen === 1 ? 'has' : 'have'} not been on the screen: \`o\` opens ` +
        `all of it, then you can decide.`,
    );
  else return true;
  tell(terminal, ...choices(gate, terminal));
  return false;
}

async function whileBusy<T>(asking: Asking, use: () => Promise<T>): Promise<T> {
  asking.busy = true;
  try {
    return await use();
  } finally {
    asking.busy = false;
  }
}

/** Opens the gate: to edit its content where that may be done, else to read all of it. */
async function look(asking: Asking, content: GateContent | null, key: string): Promise<void> {
  const {
    open: { gate },
    terminal,
    keys,
  } = asking;
  if (key === 'e' && content !== null && hasEditor(terminal) && isEditable(gate)) return edit(asking, content);
  await keys.lend(() => openInPager(wholeOf(asking), terminal));
  asking.opened = true;
  tell(terminal, '', ...choices(gate, terminal));
}

/**
 * All of a gate, for a pager: what is asked, the content with each of its lines marked as such, what follows. Wrapped
 * here, so that no pager has anything to clip.
 */
function wholeOf({ open: { gate }, shown, bill, terminal }: Asking): string {
  const width = widthOf(terminal.stderr);
  const content = shown === null ? [] : frame(shown, { width, palette: createPalette(false) }, Infinity).lines;
  return [wrap(safeLine(gate.message), width), content, indentBill(bill, width)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

async function readReason({ open: { gate }, terminal, keys }: Asking): Promise<Answer | null> {
  const comment = (await keys.line('  why? '))?.trim() ?? '';
  if (comment !== '') return { kind: 'reject', comment };
  tell(terminal, ...choices(gate, terminal));
  return null;
}

async function readAnswer({ open: { gate }, terminal, keys }: Asking): Promise<Answer | null> {
  const text = await keys.line('  your answer: ');
  if (text !== null && text.trim() !== '') return { kind: 'answer', value: await answerValue(text, gate) };
  tell(terminal, ...choices(gate, terminal));
  return null;
}

async function edit(asking: Asking, content: GateContent): Promise<void> {
  try {
    const before = asking.edited ?? content.text;
    const edited = await asking.keys.lend(() => editContent(before, content.isText, asking.terminal));
    asking.opened ||= isDrawn(asking, edited.text);
    // Who only looked has edited nothing: the approval stays one of what the gate shows.
    if (edited.text === toText(before))
      return tell(asking.terminal, '  Nothing was changed.', ...choices(asking.open.gate, asking.terminal));
    asking.edited = edited.value;
    asking.opened = isDrawn(asking, edited.text);
    show(asking, edited.text);
    tell(asking.terminal, '  This is the content as you edited it; `a` approves it.');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    tell(asking.terminal, `  ${safeText(error.message)}`, ...choices(asking.open.gate, asking.terminal));
  }
}

/**
 * Tells whether all of the gate was seen by who saw this text in an editor, and the rest on the screen. Editors do not
 * draw what is hidden, some clip what is wide, and they have neither the question nor what follows: only the pager
 * shows these.
 */
function isDrawn(asking: Asking, text: string): boolean {
  const isWide = (line: string): boolean => displayWidth(line) > widthOf(asking.terminal.stderr);
  return escapeHidden(text) === text && !text.split('\n').some(isWide) && layout(asking, null).unseen === 0;
}

/** Options that a key of their own chooses; others are typed. */
const DIGITS = 9;

/** What can be done, in lines as wide as the terminal; an option is never cut. */
function choices(gate: Gate, terminal: Terminal): string[] {
  const { kind, options, content } = gate;
  const key = (what: string, name: string): string => (name === '' ? what : `${what} [${name}]`);
  const byText = takesText(gate) ? [key('answer', 'a')] : [];
  const answers =
    options === undefined && kind !== 'ask'
      ? [key('approve', 'a')]
      : [
          ...(options ?? []).map((option, index) => key(optionText(option), index < DIGITS ? String(index + 1) : '')),
          ...byText,
        ];
  const rejecting = isRejectable(gate) ? [key('reject with a reason', 'r')] : [];
  const looking = content === null ? [] : [key(isEditable(gate) && hasEditor(terminal) ? 'edit' : 'open', 'e')];
  const width = widthOf(terminal.stderr) - 2;
  const lines: string[] = [];
  for (const item of [...answers, ...rejecting, ...looking, key('later', 'Ctrl-C')]) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 3 + displayWidth(item) <= width)
      lines[lines.length - 1] = `${last}   ${item}`;
    else lines.push(...wrap(item, width));
  }
  return lines.map(
    (line) => `  ${line.replace(/\[(?:[1-9aer]|Ctrl-C)\](?= {3}|$)/g, (name) => terminal.palette.bold(name))}`,
  );
}
