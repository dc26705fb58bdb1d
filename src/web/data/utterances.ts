import { turnSegment } from '../../plan/agents/conversation.js';
import { readable } from '../../cli/follow/readable.js';
import type { Said } from '../../cli/observe/said.js';
import { formatCount } from '../../cli/text/format.js';
import { safeName } from '../../cli/text/safe-text.js';
import type { Block, ModelMessage } from '../../activities/models/protocol/message.js';
import { blocksOf } from '../../activities/models/protocol/message.js';

/** One piece of a conversation. */
export interface Utterance {
  /** What it is, in words that are safe to show. */
  label: string;
  /** Whole, as it was. */
  text: string;
  /** It begins a turn of the model: its number, from 1. */
  turn: number | null;
  /** It is of use to few. */
  aside: boolean;
}

/** Characters of a part, about. */
const PART_CHARACTERS = 1024 * 1024;

/** A conversation piece by piece. */
export function utterancesOf({ system, messages }: Said): Utterance[] {
  let turn = 0;
  const said = messages.flatMap((message, number) => {
    const isAnswer = message.role === 'assistant';
    if (isAnswer) turn += 1;
    return piecesOf(message, { turn, isPrompt: number === 0 }).map((piece, index) => ({
      ...piece,
      turn: isAnswer && index === 0 ? turn : null,
    }));
  });
  return [...(system === '' ? [] : [{ label: 'Instruction', text: system, turn: null, aside: false }]), ...said];
}

/** A part of them from the one with this number: as many whole ones as a page holds, at least one. */
export function partOf(all: Utterance[], from: number): { shown: Utterance[]; next: number | null } {
  let characters = 0;
  let to = from;
  while (to < all.length && (to === from || characters < PART_CHARACTERS)) {
    characters += all[to]?.text.length ?? 0;
    to += 1;
  }
  return { shown: all.slice(from, to), next: to < all.length ? to : null };
}

type Piece = Omit<Utterance, 'turn'>;

function piecesOf(message: ModelMessage, { turn, isPrompt }: { turn: number; isPrompt: boolean }): Piece[] {
  const says = message.role === 'assistant' ? 'Says' : isPrompt ? 'Prompt' : 'Is told';
  let calls = 0;
  return blocksOf(message).map((block): Piece => {
    if (block.kind === 'call') calls += 1;
    return { ...pieceOf(block, { says, at: turnSegment(turn, calls - 1) }), aside: block.kind === 'kept' };
  });
}

/** `at` is the segment of a call. */
function pieceOf(block: Block, { says, at }: { says: string; at: string }): Pick<Piece, 'label' | 'text'> {
  switch (block.kind) {
    case 'text':
      return { label: says, text: block.text };
    case 'call':
      return { label: `Calls ${safeName(block.name)} (${at})`, text: readable(block.input) };
    case 'result':
      return { label: `${safeName(block.name)} ${block.is_error ? 'failed' : 'gave'}`, text: block.text };
    case 'file':
      return { label: 'File', text: `${block.name} (${block.media}, at most ${formatCount(block.tokens)} tokens)` };
    case 'kept':
      return { label: `Kept for ${block.provider} alone`, text: readable(block.block) };
  }
}
