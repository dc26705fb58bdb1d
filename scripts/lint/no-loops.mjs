// ESLint rule: neither files nor folders of `src/` form a loop of imports, those of types included.
// A file at the root of a floor (`src/plan/step.ts`) counts as a folder of its own: it is where a reader enters.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g;
const graphs = new Map();

export const noLoops = {
  meta: { type: 'problem', schema: [], messages: { loop: 'Closes a loop of {{what}}: {{loop}}.' } },
  create: ({ cwd, filename, report }) => {
    const root = join(cwd, 'src');
    const { files, folders } = graphsOf(root);
    const look = ({ source }) => {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const from = relative(root, filename).replaceAll(sep, '/');
      const to = moduleOf(root, filename, source.value);
      const tell = (what, loop) =>
        loop && report({ node: source, messageId: 'loop', data: { what, loop: loop.join(', ') } });
      tell('files', sharedLoop(files, from, to));
      tell('folders', sharedLoop(folders, placeOf(from), placeOf(to)));
    };
    return {
      ImportDeclaration: look,
      ImportExpression: look,
      ExportNamedDeclaration: look,
      ExportAllDeclaration: look,
    };
  },
};

/** The loop that both are in, null where there is none. */
function sharedLoop(loops, from, to) {
  if (from === to) return null;
  return loops.find((loop) => loop.includes(from) && loop.includes(to)) ?? null;
}

function graphsOf(root) {
  let known = graphs.get(root);
  if (known === undefined) {
    const names = readdirSync(root, { recursive: true }).map((name) => name.replaceAll(sep, '/'));
    const files = new Map();
    const folders = new Map();
    for (const name of names.filter((each) => /\.tsx?$/.test(each))) {
      const imports = [...readFileSync(join(root, name), 'utf8').matchAll(IMPORT)].map(([, path]) =>
        moduleOf(root, join(root, name), path),
      );
      files.set(name, new Set(imports));
      const place = placeOf(name);
      const others = imports.map(placeOf).filter((other) => other !== place);
      folders.set(place, new Set([...(folders.get(place) ?? []), ...others]));
    }
    known = { files: loopsOf(files), folders: loopsOf(folders) };
    graphs.set(root, known);
  }
  return known;
}

function moduleOf(root, file, path) {
  const name = relative(root, resolve(dirname(file), path))
    .replaceAll(sep, '/')
    .replace(/\.js$/, '.ts');
  return existsSync(join(root, name)) ? name : name.replace(/\.ts$/, '.tsx');
}

function placeOf(name) {
  const folder = dirname(name);
  return folder.includes('/') ? folder : name;
}

/** Strongly connected parts of more than one member, by Tarjan's algorithm (SIAM Journal on Computing 1, 1972). */
function loopsOf(graph) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const loops = [];
  const visit = (name) => {
    order.set(name, order.size);
    low.set(name, order.get(name));
    stack.push(name);
    for (const next of graph.get(name) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(name, Math.min(low.get(name), low.get(next)));
    }
    if (low.get(name) !== order.get(name)) return;
    const loop = stack.splice(stack.indexOf(name));
    if (loop.length > 1) loops.push(loop);
  };
  for (const name of graph.keys()) if (!order.has(name)) visit(name);
  return loops;
}
