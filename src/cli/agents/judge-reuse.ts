/** Whether a temporary agent looks useful beyond the definition it was written for, and why. */
export interface ReuseJudgement {
  reusable: boolean;
  reason: string;
}

/** What ties an instruction to one project or one task. */
const TIES: { pattern: RegExp; reason: string }[] = [
  {
    pattern: /\b[\w.-]+\/[\w./-]*\.\w{1,5}\b|\b\w+\.(?:js|ts|tsx|py|go|rs|java|rb|c|cpp)\b/,
    reason: 'it names a file of this project',
  },
  { pattern: /\blines? \d+/i, reason: 'it names a line' },
  { pattern: /\bfix(?:es)?\b[^.\n]{0,40}\bbug\b[^.\n]{0,20}\bin\b/i, reason: 'it is about one bug' },
  {
    pattern: /\b(?:this|our|the current) (?:project|codebase|repository|pull request|branch)\b/i,
    reason: 'it speaks of this project',
  },
];
/** What an instruction says that holds for other work too. */
const GENERAL = /\b(?:analy[sz]e|scan|check|review|test|validate|audit|summari[sz]e|format|translate)(?:s|ing|er)?\b/i;
const SECTIONS = /^(?:#+\s*)?(?:responsibilities|output format)\b/im;
const ROLES =
  /(?:analy[sz]er|scanner|checker|reviewer|tester|fixer|validator|formatter|writer|auditor|summari[sz]er)$/i;

/**
 * Judges by rules: what ties it to one task counts first, then what it says that is general, then its name. The rules
 * are told in docs/agents.md.
 */
export function judgeReuse({ name, prompt }: { name: string; prompt: string }): ReuseJudgement {
  const tie = TIES.find(({ pattern }) => pattern.test(prompt));
  if (tie !== undefined) return { reusable: false, reason: tie.reason };
  if (SECTIONS.test(prompt))
    return {
      reusable: true,
      reason: 'it says what it is responsible for or how it answers, and names nothing of this project',
    };
  const verb = GENERAL.exec(prompt)?.[0];
  if (verb !== undefined)
    return {
      reusable: true,
      reason: `its work (\`${verb.toLowerCase()}\`) is needed elsewhere, and it names nothing of this project`,
    };
  if (ROLES.test(name)) return { reusable: true, reason: 'its name is a role, and it names nothing of this project' };
  return { reusable: false, reason: 'nothing in it says what it could be used for elsewhere' };
}
