import type { Effort } from '../../plan/names.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { ProgramName } from '../../plan/agents/program.js';
import type { Access } from '../../plan/agents/program-access.js';
import type { Usage } from '../models/protocol/provider.js';
import type { ProcessEnd } from '../processes/started-process.js';

/** What a program is asked, the same for every program. */
export interface ProgramTask {
  /** The agent's instruction; empty for none. */
  system: string;
  prompt: string;
  /** The model it is told to use; null leaves the choice to the program. */
  model: string | null;
  /** JSON Schema of the answer; null for text. */
  schema: Json;
  maxTurns: number;
  /** How much its model thinks before it answers; absent where that is the program's choice. */
  effort?: Effort;
  access: Access;
  /** US dollars that it may spend, where the run's are limited. */
  usd: number | null;
  session: SessionUse;
  /** A folder of its own for files that it is told of; gone when it has ended. */
  scratch: string;
}

/** `start`: a conversation begins, under this id where the program takes one. */
export type SessionUse = { kind: 'start'; id: string } | { kind: 'resume'; id: string };

/** How a program is started: its arguments, what it reads, and what it gets in its environment beside the usual. */
export interface Invocation {
  args: string[];
  stdin: string;
  env: Record<string, string>;
  /** Files in the scratch folder, by name. */
  files?: Record<string, string>;
}

/** What a program tells while it works. */
export type ProgramEvent =
  | { kind: 'session'; id: string }
  /** A piece of what its model says. */
  | { kind: 'text'; text: string }
  /** Its model was asked once more; `usage` where it says so. */
  | { kind: 'turn'; usage: Usage | null }
  /** It uses a tool of its own. */
  | { kind: 'tool'; name: string; about: string }
  | { kind: 'note'; text: string }
  /** It has told its result: it is to end now. */
  | { kind: 'result' };

/** What one process used. `usd` null: it names no sum. */
export interface ProgramSpend {
  usage: Usage;
  usd: number | null;
}

/** How a program ended. `usage` null: it does not say what it has used. */
export type ProgramOutcome = Omit<ProgramSpend, 'usage'> & { usage: Usage | null } & (
    | { kind: 'answer'; text: string; /** The model that answered, where it says so. */ model: string | null }
    /** Its provider refused: with the HTTP status where it tells, and when to come back. */
    | { kind: 'refused'; status: number | null; message: string; afterMs: number | null }
    /** It has neither a key nor a login: it has asked nobody. */
    | { kind: 'signed-out'; message: string }
    | { kind: 'turns-exceeded' }
    /** Its model did not come to an answer that satisfies the schema, asked again by the program itself. */
    | { kind: 'schema-unmet'; message: string }
    | { kind: 'budget-spent' }
    /** It does not know the session that it was to resume. */
    | { kind: 'session-lost' }
    | { kind: 'failed'; message: string }
  );

/** Reads what one process of a program writes. */
export interface ProgramReader {
  /** One object of its stream. */
  read(event: JsonObject): ProgramEvent[];
  /** A line that is none, of stdout or stderr. An outcome ends the program: it would go on without an end. */
  hear?(line: string): ProgramOutcome | null;
  /** `said` is the end of what it wrote that was no event. */
  end(end: ProcessEnd, said: string): ProgramOutcome;
}

/** One program: how it is called, and what it says. One file each. */
export interface Program {
  name: ProgramName;
  /** How to install it. */
  install: string;
  /** How it gets a key or a login. */
  signIn: string;
  /**
   * Variables of the providers that it gets, and of the worker's own environment: where it keeps its sessions and its
   * login.
   */
  credentials: string[];
  homes: string[];
  /** Files from which it would take variables, in the folder that it runs in and above: they set none. */
  variableFiles?: string[];
  /** Whether a new session gets the id that we choose; else it names one itself. */
  takesSessionId: boolean;
  invoke(task: ProgramTask): Invocation;
  /** `before` is what its session had used before this process, for programs that count on. */
  reader(before: Usage): ProgramReader;
}
