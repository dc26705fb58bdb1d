import { readFile, readdir } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import type { SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `node --cpu-prof` writes. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

type Frame = CpuProfile['nodes'][number]['callFrame'];

/** Milliseconds of self time by where the code is from, of all threads; idle time is left out. */
export type Costs = Map<string, number>;

/** Adds up every profile in a folder. Each thread wrote one. */
export async function readProfiles(folder: string): Promise<Costs> {
  const costs: Costs = new Map();
  const mapOf = sourceMaps();
  for (const name of await readdir(folder)) {
    // V8's format
    const { nodes, samples, timeDeltas } = JSON.parse(await readFile(join(folder, name), 'utf8')) as CpuProfile;
    const owners = new Map<number, string | null>();
    for (const { id, callFrame } of nodes) owners.set(id, await ownerOf(callFrame, mapOf));
    for (const [index, id] of samples.entries()) {
      const owner = owners.get(id) ?? null;
      if (owner !== null) costs.set(owner, (costs.get(owner) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
    }
  }
  return costs;
}

type FindMap = (url: string) => Promise<SourceMap | null>;

/** Package, folder of ours, or part of Node that a function belongs to; null for idle time. */
async function ownerOf({ functionName, url, lineNumber, columnNumber }: Frame, mapOf: FindMap): Promise<string | null> {
  if (functionName === '(idle)') return null;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url === '') return 'native code (V8, Node, Temporal core)';
  if (url.startsWith('node:')) return 'Node: loading modules, network, files';
  const isPackage = url.includes('/node_modules/') && !url.includes('/node_modules/.cache/');
  const map = isPackage ? null : await mapOf(url);
  const entry = map?.findEntry(Math.max(lineNumber, 0), Math.max(columnNumber, 0));
  const source =
    // absent where nothing maps
    entry !== undefined && 'originalSource' in entry ? (entry.originalSource as string | undefined) : undefined;
  return placeOf(source ?? url);
}

function placeOf(path: string): string {
  const found = [...path.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].at(-1)?.[1];
  if (found !== undefined) return `\`${found}\``;
  const ours =
    /\/(?:src|dist(?:\.\d+)?)\/(\w[\w-]*)\/[^/]/.exec(path)?.[1] ?? /\/(workflows|plan)\/[^/]+\.js$/.exec(path)?.[1];
  if (ours !== undefined) return `Perdure: \`${ours}/\``;
  return path.includes('workflow') ? 'workflow bundle, unmapped' : 'the benchmark’s own code';
}

/** Source maps of bundled files; files that npm or tsc wrote tell by their path. */
function sourceMaps(): FindMap {
  const known = new Map<string, SourceMap | null>();
  return async (url) => {
    const before = known.get(url);
    if (before !== undefined) return before;
    const map = await readMap(url).catch(() => null);
    known.set(url, map);
    return map;
  };
}

async function readMap(url: string): Promise<SourceMap | null> {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  const source = await readFile(file, 'utf8');
  const [, inline] =
    /\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,(\S+)\s*$/.exec(
      source.slice(-50_000_000),
    ) ?? [];
  const text =
    inline === undefined ? await readFile(`${file}.map`, 'utf8') : Buffer.from(inline, 'base64').toString('utf8');
  return new SourceMap(JSON.parse(text) as SourceMapPayload);
}
