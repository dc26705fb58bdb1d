import type { Hash } from '../../plan/values/value.js';
import type { AuthoredHook } from '../formats/agent/hooks.js';
import { hashOf } from '../hash.js';
import type { FindFile } from './hook-files.js';
import { fileHash, filesNamed } from './hook-files.js';

/** Hooks of an agent that is imported, as a person has to approve them. */
export interface ImportedHooks {
  /** Each with the hashes of the files that its line names. */
  hooks: AuthoredHook[];
  /** What these files hold, by path from the project's root. */
  texts: Record<string, string>;
  /** Of all this and the agent's name: who gives it has approved them. */
  approval: Hash;
}

/** Binds hooks to what their files hold now. `broken`: why others are lost. */
export function bindHooks(
  name: string,
  written: AuthoredHook[],
  findFile: FindFile,
): { bound: ImportedHooks | null; broken: string[] } {
  const broken: string[] = [];
  const texts: Record<string, string> = {};
  const hooks = written.flatMap((hook): AuthoredHook[] => {
    const found = [...filesNamed(hook.command, findFile)];
    const faults = found.flatMap(([path, file]) => ('failure' in file ? [`\`${path}\`: ${file.failure}`] : []));
    if (faults.length > 0) {
      broken.push(`\`${hook.command}\`: ${faults.join(' ')}`);
      return [];
    }
    const { files: _claimed, ...said } = hook;
    const files = found.flatMap(([path, file]) => ('text' in file ? [[path, file.text] as const] : []));
    Object.assign(texts, Object.fromEntries(files));
    const hashes = Object.fromEntries(files.map(([path, text]) => [path, fileHash(text)]));
    return [files.length === 0 ? said : { ...said, files: hashes }];
  });
  return { bound: hooks.length === 0 ? null : { hooks, texts, approval: hashOf({ name, hooks }) }, broken };
}
