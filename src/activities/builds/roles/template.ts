/** What makes a role of a build: how it is asked, and which tools it has. */
export interface RoleTemplate {
  /** What it does, in a sentence after its name. */
  does: string;
  /** How it works, each a line of its prompt. */
  highlights: readonly string[];
  /** What it answers when its task is done. */
  answer: string;
  /** Tools as agents' files name them. */
  tools: readonly string[];
}
