// `npm run demo`: reviews this repository with `definitions/workflows/review-repository.yml`, through the real CLI.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const REPORT = 'report.md';
const LOCAL_OLLAMA = 'http://localhost:11434';

const build = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
if (build.status !== 0) process.exit(build.status ?? 1);

const provider = await chooseProvider();
const asks = process.stdin.isTTY && process.stderr.isTTY;
const approval = asks
  ? 'you will be asked before the report is saved'
  : 'no terminal to ask on: the demo approves by itself (--yes)';
console.error(`
Perdure reviews this repository: commands gather facts, four reviewers look
at them, a nested workflow writes ${REPORT}.
  Models    ${provider.banner}
  Approval  ${approval}
`);

const args = ['run', join('definitions', 'workflows', 'review-repository.yml'), '-i', `report=${REPORT}`];
if (provider.rehearse) args.push('--rehearse');
if (!asks) args.push('--yes');
// The CLI answers Ctrl-C and says how to go on; the demo only waits for it.
process.on('SIGINT', () => {});
const status = await run([join(root, 'dist', 'cli', 'main.js'), ...args]);
if (status === 0) console.error(closingLine());
process.exitCode = status;

/** Claude with a key, else an Ollama that answers and has a model, else a rehearsal. */
async function chooseProvider() {
  if (process.env.ANTHROPIC_API_KEY || process.env.ANTHROPIC_AUTH_TOKEN) return { rehearse: false, banner: 'Claude' };
  const model = await ollamaModel();
  if (model !== null) return { rehearse: false, banner: `Ollama (it has ${model})` };
  return {
    rehearse: true,
    banner:
      'REHEARSAL: every command is real, no model is called.\n            Set ANTHROPIC_API_KEY, or start ' +
      'Ollama, for a real review',
  };
}

async function ollamaModel() {
  const host = process.env.OLLAMA_HOST || LOCAL_OLLAMA;
  try {
    const response = await fetch(new URL('/api/tags', host.includes('://') ? host : `http://${host}`), {
      signal: AbortSignal.timeout(1000),
    });
    const { models = [] } = await response.json();
    return models[0]?.name ?? null;
  } catch {
    return null;
  }
}

function run(argv) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, { cwd: root, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

function closingLine() {
  const lines = readFileSync(join(root, REPORT), 'utf8').trimEnd().split('\n').length;
  const kind = provider.rehearse ? 'REHEARSAL: facts only, no model' : 'reviewed for real';
  return `\nThe report is in ${REPORT} (${lines} lines; ${kind}).`;
}
