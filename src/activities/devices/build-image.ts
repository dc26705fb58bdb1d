import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import type { Argv, CompileRules, Device, Image, ImageFile } from '../../plan/devices/device.js';
import { cacheFolder } from '../../store/cache-folder.js';
import { readPlain } from '../../store/read-plain.js';
import { stepFailure } from '../failures.js';
import type { Values } from './arguments.js';
import { expand } from './arguments.js';
import { compilerErrors } from './compiler-errors.js';
import { FILE_BYTES, imageOf, readInside, toImageFile } from './images.js';
import type { Workbench } from './tool.js';
import { runTool } from './tool.js';
import { makeTemporary } from '../../store/folders/temporary.js';

const HEADERS = new Set(['.h', '.hpp', '.hh']);

/** One build: its rules, its values, and the folder in which everything is made. */
interface Build {
  device: Device;
  rules: CompileRules;
  bench: Workbench;
  out: string;
  /** What its tools read beside the workspace: folders that its values name, and libraries that are kept. */
  keep: string[];
  values: Values;
}

interface Source {
  /** As its author names it. */
  name: string;
  bytes: Buffer;
}

/**
 * Builds an image from sources, which are files of the workspace. Throws `compile-failed` with the compiler's own
 * errors.
 */
export async function buildImage(device: Device, names: string[], bench: Workbench): Promise<Image> {
  const rules = device.kind.compile;
  if (rules === null)
    throw stepFailure('compile-failed', `Nothing can be compiled for the kind \`${device.kind.name}\`.`);
  const sources = await Promise.all(names.map((name) => readSource(name, bench.cwd)));
  const out = await makeTemporary('build');
  try {
    const includes = [...new Set(names.map((name) => `-I${dirname(name)}`))];
    const build: Build = {
      device,
      rules,
      bench,
      out,
      keep: [...Object.values(device.values), librariesFolder()].flatMap((value) =>
        typeof value === 'string' && isAbsolute(value) && existsSync(value) ? [value] : [],
      ),
      values: { ...device.values, out, includes, sketch: join(out, 'sketch') },
    };
    // First, while nothing that an agent wrote has been looked at: other builds get it, too.
    const library = rules.library === null ? '' : await libraryOf(build, rules.library);
    const objects = await compileAll(build, await joinSources(build, sources));
    for (const argv of rules.link) await call(build, argv, { objects, library });
    return imageOf(device.kind.image, device.target, await filesOf(build, sources));
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function readSource(name: string, workspace: string): Promise<Source> {
  // A compiler takes it for an option or for a file of options, and hands the last part on to others that do.
  if ([name, basename(name)].some((word) => /^[-@]/.test(word)))
    throw stepFailure('compile-failed', `Expected a source whose name begins with a letter, got \`${name}\`.`);
  try {
    return { name, bytes: await readInside(name, workspace) };
  } catch (error) {
    throw stepFailure(
      'compile-failed',
      `The source \`${name}\` cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Joins the sources that are to be one, and gives what is to be compiled, by path. */
async function joinSources({ rules, out, device }: Build, sources: Source[]): Promise<string[]> {
  const { join: rule } = rules;
  const isJoined = ({ name }: Source): boolean => rule?.from.includes(extname(name)) ?? false;
  const joined = sources.filter(isJoined);
  const rest = sources.filter((source) => !isJoined(source) && !HEADERS.has(extname(source.name)));
  const unknown = rest.find(({ name }) => !rules.rules.some(({ from }) => from.includes(extname(name))));
  if (unknown !== undefined)
    throw stepFailure(
      'compile-failed',
      `Expected sources that \`${device.kind.name}\` knows (${extensionsOf(rules).join(', ')}), got ` +
        `\`${unknown.name}\`.`,
    );
  if (joined.length === 0 || rule === null) return rest.map(({ name }) => name);
  const path = join(out, 'sketch', `sketch${rule.to}`);
  await mkdir(dirname(path), { recursive: true });
  // `#line` makes the compiler tell the author's own file and line.
  await writeFile(
    path,
    Buffer.concat([
      Buffer.from(rule.head),
      ...joined.flatMap(({ name, bytes }) => [Buffer.from(`\n#line 1 ${JSON.stringify(name)}\n`), bytes]),
    ]),
  );
  return [...(rules.rules.some(({ from }) => from.includes(rule.to)) ? [path] : []), ...rest.map(({ name }) => name)];
}

function extensionsOf({ join: rule, rules }: CompileRules): string[] {
  return [...(rule?.from ?? []), ...rules.flatMap(({ from }) => from)];
}

async function compileAll(build: Build, paths: string[]): Promise<string[]> {
  const objects: string[] = [];
  const failures: unknown[] = [];
  const queue = paths.entries();
  const work = async (): Promise<void> => {
    for (const [index, source] of queue) {
      const rule = build.rules.rules.find(({ from }) => from.includes(extname(source)));
      if (rule === undefined) continue;
      const object = join(build.out, `${index}-${basename(source)}.o`);
      objects[index] = object;
      // All sources are looked at: their author wants to know all errors.
      await call(build, rule.run, { source, object }).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1)
    throw stepFailure(
      'compile-failed',
      failures.map((failure) => (failure instanceof Error ? failure.message : String(failure))).join('\n'),
    );
  return objects.flat();
}

/**
 * The objects of folders that never change, kept from build to build under the hash of everything they are made from:
 * nothing of the workspace is among that.
 */
async function libraryOf(all: Build, { folders, run }: NonNullable<CompileRules['library']>): Promise<string> {
  const build: Build = { ...all, values: { ...all.values, includes: [] } };
  const { values, rules } = build;
  const paths = await sourcesIn(expand(folders, values), build);
  const hash = createHash('sha256').update(
    JSON.stringify([rules.rules.map(({ run: argv }) => expand(argv, values)), run]).replaceAll(build.out, ''),
  );
  for (const path of paths) hash.update(path).update(await readFile(path));
  const folder = librariesFolder();
  const kept = join(folder, `${hash.digest('hex').slice(0, 32)}.a`);
  const isKept = await readFile(kept).then(
    () => true,
    () => false,
  );
  if (isKept) return kept;
  const made = join(build.out, 'library.a');
  const inner: Build = { ...build, out: join(build.out, 'library') };
  await mkdir(inner.out);
  await call(build, run, { objects: await compileAll(inner, paths), library: made });
  try {
    await mkdir(folder, { recursive: true });
    const draft = `${kept}.${process.pid}`;
    await copyFile(made, draft);
    await rename(draft, kept);
  } catch {
    // It is only made again the next time.
  }
  return made;
}

function librariesFolder(): string {
  return join(cacheFolder(), 'libraries');
}

async function sourcesIn(folders: string[], { rules, device }: Build): Promise<string[]> {
  const listed = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch(() => {
        throw stepFailure(
          'compile-failed',
          `The folder \`${folder}\`, which \`${device.kind.name}\` compiles, is not there. Install the package ` +
            `arduino-core-avr, or set \`values: {arduino: …}\` at the device.`,
        );
      });
      return names
        .filter((name) => rules.rules.some(({ from }) => from.includes(extname(name))))
        .sort()
        .map((name) => join(folder, name));
    }),
  );
  return listed.flat();
}

async function call({ bench, values, rules, out, keep }: Build, argv: Argv, more: Values): Promise<void> {
  const words = expand(argv, { ...values, ...more });
  // Outside the sandbox an agent may have written settings for the tool where the sources are, which it would obey.
  const apart = 'source' in more ? {} : { from: out };
  const { code, said } = await runTool(words, bench, rules.sandbox ? { sight: { writes: out, reads: keep } } : apart);
  if (code !== 0)
    throw stepFailure(
      'compile-failed',
      compilerErrors(said.replaceAll(`${out}/`, '')) || `${words[0] ?? ''} ended with ${code ?? 'a signal'}.`,
    );
}

async function filesOf({ rules, out, device }: Build, sources: Source[]): Promise<ImageFile[]> {
  if (rules.result === null) return sources.map(({ name, bytes }) => toImageFile(basename(name), bytes, true));
  const bytes = await readPlain(join(out, rules.result), FILE_BYTES);
  if (bytes === null) throw stepFailure('compile-failed', `Expected an image in \`${rules.result}\`, got none.`);
  return [toImageFile(rules.result, bytes, device.kind.image === 'ihex')];
}
