/** Files that are there for a runner of tests alone, by their names. */
const RUNNER_FILE = new RegExp(
  [
    String.raw`(?:^|\/)(?:vitest|jest|playwright|cypress|karma|ava)[.-](?:config|conf|workspace|setup)\.[^/]+$`,
    String.raw`(?:^|\/)setupTests\.[^/]+$`,
    String.raw`(?:^|\/)(?:\.mocharc\.[^/]+|\.?pytest\.ini|tox\.ini|noxfile\.py|\.rspec|phpunit\.xml)$`,
  ].join('|'),
  'i',
);

/** Files of which parts set up runners of tests, and how these parts look. */
const PARTS: [file: RegExp, part: RegExp][] = [
  [/(?:^|\/)\.npmrc$/, /^[ \t]*(?:script-shell|node-options)[ \t]*=.*$/gm],
  [/(?:^|\/)(?:pyproject\.toml|setup\.cfg)$/, /^\[(?:tool[.:])?(?:pytest|tox)\b[^]*?(?=^\[[a-z]|(?![^]))/gim],
  [/(?:^|\/)vite\.config\.[^/]+$/, /\btest['"]?\s*:\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g],
];

/** Of a longer file all counts: it is none that a person wrote, and what looks for parts in it takes long. */
const MOST_CHARACTERS = 64 * 1024;

/** Keys of a `package.json` by which runners are set up. */
const RUNNERS = ['jest', 'mocha', 'ava', 'tap', 'c8', 'nyc'];

/** What a script calls of the others, and what it loads before the tests. */
const CALLED = /\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:.-]+)/g;
const LOADED = /(?:^|[\s"'])(?:--(?:import|require|loader|experimental-loader)|-r)[\s=]["']?(?:\.\/)?([^\s"']+)/g;

/** Tells whether a file is a `package.json`. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)package\.json$/.test(path);
}

/** Tells whether a file may set up how tests are run, by its name. */
export function isTestSetup(path: string): boolean {
  return isManifest(path) || RUNNER_FILE.test(path) || PARTS.some(([file]) => file.test(path));
}

/** What of a file sets up how tests are run; null for nothing. */
export function testSetup(path: string, text: string): string | null {
  if (isManifest(path)) return inManifest(text);
  const part = PARTS.find(([file]) => file.test(path))?.[1];
  if (part === undefined || text.length > MOST_CHARACTERS) return text;
  const parts = text.match(part) ?? [];
  return parts.length === 0 ? null : parts.map((found) => found.trim()).join('\n');
}

/** Files that the options of a command load before its tests, such as `--import ./hooks.mjs`, from where it is run. */
export function loadedBy(command: string): string[] {
  return [...command.matchAll(LOADED)].map(([, file = '']) => file);
}

/** The scripts that `npm test` runs by a `package.json`, by their names. */
export function testScripts(text: string): Record<string, string> {
  const { scripts } = parsed(text) ?? {};
  const all = new Map(Object.entries(typeof scripts === 'object' ? { ...scripts } : {}));
  const found: Record<string, string> = {};
  // A list of those to come, not calls in calls: an agent may have written thousands that call one another.
  const names = aroundOf('test');
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const script = all.get(name);
    all.delete(name);
    if (typeof script === 'string' && !isUnset(script)) found[name] = script;
    if (typeof script === 'string')
      for (const called of script.matchAll(CALLED)) names.push(...aroundOf(called[1] ?? ''));
  }
  return found;
}

/** A script with those that npm runs around it. */
function aroundOf(name: string): string[] {
  return [`pre${name}`, name, `post${name}`];
}

/** What `npm init` writes where there is no test yet. */
function isUnset(script: string): boolean {
  return script.includes('Error: no test specified');
}

/** Null for what is no map of JSON. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? { ...value } : null;
  } catch {
    return null;
  }
}

function inManifest(text: string): string | null {
  const manifest = parsed(text);
  if (manifest === null) return text;
  const scripts = Object.entries(testScripts(text)).sort(([one], [other]) => (one < other ? -1 : 1));
  const runners = RUNNERS.flatMap((name) => (manifest[name] === undefined ? [] : [[name, manifest[name]]]));
  try {
    return scripts.length + runners.length === 0 ? null : JSON.stringify([...scripts, ...runners]);
  } catch {
    return text; // it is too deep
  }
}
