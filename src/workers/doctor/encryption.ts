import type { Project } from '../../compiler/project/project.js';
import { named } from '../../store/encryption/key-ring.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { Env } from '../../store/cache-folder.js';
import type { EncryptionConfig } from '../encryption/project-keys.js';
import { projectKeys } from '../encryption/project-keys.js';
import type { Finding } from './finding.js';

/** The keys of `encryption`, and what is to be told of them: their ids, never more (I13). */
export async function keyFindings(
  { root }: Pick<Project, 'root'>,
  config: EncryptionConfig,
  env: Env,
): Promise<{ keys: KeyRing | null; findings: Finding[] }> {
  const about = { name: 'encryption', required: true };
  try {
    const keys = await projectKeys(config, { env, root });
    if (keys === null) return { keys, findings: [] };
    const [writing = '', ...others] = keys.ids;
    const detail = `writes with the key ${named([writing])}, also reads ${named(others)}`;
    return { keys, findings: [{ ...about, ok: true, detail, fix: null }] };
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    return { keys: null, findings: [{ ...about, ok: false, detail: error.message, fix: error.hint }] };
  }
}
