import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import type { MemoryCategory } from '../../plan/tools/memory.js';
import type { Json } from '../../plan/values/json.js';
import { appendLine, readLines, unreadLines } from '../line-files.js';

/** One thing that is remembered from run to run. */
export interface Memory {
  /** `mem-<8 hex>` */
  id: string;
  category: MemoryCategory;
  text: string;
  /** Who said so: a person's name. */
  by: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** Of these the last so many are kept: a new one takes the place of the oldest. */
const KEPT: Partial<Record<MemoryCategory, number>> = { goal: 1, recent_change: 20, session_summary: 10 };

export interface MemoryQuery {
  /** Words, of which the first 200 are looked for; the best match first. Empty: all, the latest first. */
  query: string;
  category?: MemoryCategory | undefined;
  limit?: number | undefined;
}

export interface MemoryFiles {
  /**
   * There is one goal, 20 recent changes and 10 summaries of sessions: a new one takes the place of the oldest. What is
   * over is removed once the new one is written.
   */
  addMemory(memory: Omit<Memory, 'id' | 'at'>): Promise<Memory>;
  /** False where there is none of this id. */
  removeMemory(id: string): Promise<boolean>;
  searchMemories(query: MemoryQuery): Promise<Memory[]>;
  /** The lines of the file that are no memories; null where there are none, or no file. */
  unreadMemories(): Promise<{ file: string; lines: number[] } | null>;
}

/** A line of the file: something to remember, or the id of what is not any more. */
type Line = Memory | { removed: string };

/**
 * Memories as lines of JSON in one file, searched by an index that is made when it is asked: there are thousands at
 * most.
 */
export function createMemoryFiles(folder: string): MemoryFiles {
  const path = join(folder, 'memories.ndjson');

  return {
    ...memoriesIn({ append: (line) => appendLine(path, line), read: async () => readLines(path) ?? [] }),
    unreadMemories: async () => {
      const lines = unreadLines(path, isLine);
      return lines.length === 0 ? null : { file: path, lines };
    },
  };
}

/** Memories in lines that are appended to, wherever those are. */
export function memoriesIn(lines: {
  append: (line: Json) => Promise<void>;
  read: () => Promise<Json[]>;
}): Omit<MemoryFiles, 'unreadMemories'> {
  async function all(): Promise<Memory[]> {
    const memories = new Map<string, Memory>();
    const read: unknown[] = await lines.read();
    for (const line of read.filter(isLine)) {
      if ('removed' in line) memories.delete(line.removed);
      else memories.set(line.id, line);
    }
    return [...memories.values()].reverse();
  }

  async function removeMemory(id: string): Promise<boolean> {
    if (!(await all()).some((memory) => memory.id === id)) return false;
    await lines.append({ removed: id });
    return true;
  }

  return {
    removeMemory,
    async addMemory(given) {
      const memory: Memory = { id: `mem-${randomBytes(4).toString('hex')}`, ...given, at: new Date().toISOString() };
      await lines.append({ ...memory });
      const most = KEPT[given.category] ?? Infinity;
      const over = (await all()).filter(({ category }) => category === given.category).slice(most);
      for (const { id } of over) await removeMemory(id);
      return memory;
    },
    searchMemories: async (query) => findMemories(await all(), query),
  };
}

/** Tells whether a line has the form that is written here; a person, or another program, may have added others. */
function isLine(line: unknown): line is Line {
  if (typeof line !== 'object' || line === null) return false;
  const { removed, id, category, text } = line as Record<string, unknown>; // an object is one
  return typeof removed === 'string' || [id, category, text].every((field) => typeof field === 'string');
}

/** Memories that a query finds among all, which come the latest first. */
function findMemories(all: Memory[], { query, category, limit = Infinity }: MemoryQuery): Memory[] {
  const memories = limit === 0 ? [] : all.filter((memory) => category === undefined || memory.category === category);
  return (query.trim() === '' ? memories : ranked(memories, query)).slice(0, limit);
}

/** What words are, as MiniSearch takes them. */
const WORD = /[^\n\r\p{Z}\p{P}]+/gu;
/** Of a query: each word is compared with those of all memories, in the thread that does everything else. */
const MOST_WORDS = 200;
/** No word of a language has more; what does is looked for by its beginning. */
const WORD_CHARACTERS = 64;
/** What is nearly a longer word takes memory and time by the square of its length. */
const NEAR_CHARACTERS = 24;

/** The first distinct words of a query, however long it is: a whole file may be what a run is asked about. */
function wordsOf(query: string): string[] {
  const words = new Set<string>();
  for (const [word] of query.matchAll(WORD)) {
    words.add(word.slice(0, WORD_CHARACTERS));
    if (words.size === MOST_WORDS) break;
  }
  return [...words];
}

/** Those that have a word of the query or nearly so, the best first; of two that are as good the later one. */
function ranked(memories: Memory[], query: string): Memory[] {
  if (memories.length === 0) return [];
  const index = new MiniSearch<Memory>({
    fields: ['text', 'category'],
    searchOptions: { prefix: true, fuzzy: (word) => word.length < NEAR_CHARACTERS && 0.2, tokenize: wordsOf },
  });
  index.addAll(memories);
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  return index.search(query).flatMap(({ id }) => byId.get(String(id)) ?? []);
}
