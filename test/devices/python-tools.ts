import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../../src/store/cache-folder.js';

/** Puts a tool on the PATH of this process: the machine's own, else one in a virtual environment that is made once. */
export function installPythonTool(name: string, version: string): void {
  const path = process.env['PATH'] ?? '';
  if (path.split(delimiter).some((folder) => existsSync(join(folder, name)))) return;
  const folder = join(cacheFolder(), 'tests', `${name}-${version}`);
  if (!existsSync(join(folder, 'bin', name))) {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'ignore' });
    execFileSync(join(folder, 'bin', 'pip'), ['install', '--quiet', `${name}==${version}`], { stdio: 'ignore' });
  }
  process.env['PATH'] = `${join(folder, 'bin')}${delimiter}${path}`;
}
