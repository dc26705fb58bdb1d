import { basename } from 'node:path';
import type { Finding, Place } from '../problems/problem.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { isOurs, LISTS, MAPS, SURE } from './foreign-documents.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** Formats that `perdure import` reads, as they are called in `MAPS`. */
const IMPORTED = ['an Archon workflow', 'a conductor workflow', 'a Goose recipe'];

/** The one sentence about a file of another tool, and what to do with it. */
export function foreignFile(name: string, at: Place): Finding {
  return {
    code: 'foreign-file',
    at,
    message: `This seems to be ${name}, which Perdure does not run.`,
    suggestion: IMPORTED.includes(name)
      ? `\`${shellCommand('perdure import', [at.source.file])}\` writes a definition from it`
      : null,
  };
}

/** What a document of another tool seems to be, by its keys; null where nothing says so. */
export function foreignDocument(value: Json): string | null {
  if (Array.isArray(value))
    return (
      LISTS.find(([, every]) => value.length > 0 && value.every((item) => isObject(item) && every(item)))?.[0] ?? null
    );
  if (!isObject(value)) return null;
  const sure = SURE.find(([, matches]) => matches(value));
  if (sure !== undefined) return sure[0];
  if (isOurs(value)) return null;
  return MAPS.find(([, matches]) => matches(value))?.[0] ?? null;
}

/** What a text that is neither YAML nor JSON seems to be; null where nothing says so. */
export function foreignText(file: string, text: string): string | null {
  const name = basename(file);
  return TEXTS.find((sign) => (sign.file?.test(name) ?? false) || sign.text.test(text.slice(0, 4096)))?.name ?? null;
}

/**
 * What a text in a `.flow` file that cannot be read seems to be; null where nothing says so. What its instructions say
 * is no sign.
 */
export function foreignFlow(text: string): string | null {
  const shown = text.slice(0, 4096).replace(/"(?:[^"\\]|\\[^])*"?/g, '""');
  const front = /^\s*---[ \t]*\r?\n[^]*?\n---[ \t]*\r?\n/.exec(shown)?.[0] ?? '';
  if (/^workflow:/m.test(front)) return null;
  const below = shown.slice(front.length);
  const known = FLOWS.find(([, sign]) => sign.test(shown) || sign.test(below));
  if (known !== undefined) return known[0];
  // Without an arrow and without an instruction it may be any text.
  if (STEPS.test(below)) return null;
  return TEXTS_FOR_PEOPLE.find(([, ...signs]) => signs.every((sign) => sign.test(below)))?.[0] ?? null;
}

const MANY_FAULTS = 6;

/** Tells whether so many faults of syntax in a flow come from no slip: more than its instructions and definitions. */
export function isOtherSyntax(faults: number, text: string): boolean {
  if (faults < MANY_FAULTS) return false;
  return faults > 2 * (text.match(/[\w-]:"|:=/g) ?? []).length;
}

/** What joins steps, or an instruction behind the name of its agent. */
const STEPS = /:=|->|\|\||~>|[\w-]:""/;

const FLOWS: [string, RegExp][] = [
  [
    'a diagram in Mermaid',
    /^[ \t]*(?:(?:graph|flowchart)[ \t]+(?:TB|TD|BT|RL|LR)\b|(?:sequence|class|state|er)Diagram\b|```mermaid)/m,
  ],
  [
    'a Python program',
    /^(?:#![^\n]*python|from [\w.]+ import |import \w+(?:\.\w+)*(?: as \w+)?[ \t]*$|def \w+\([^\n]*:[ \t]*$)/m,
  ],
  ['a shell script', /^(?:#![^\n]*sh\b|set -[eux]+|export [A-Z_]+=|echo ""|if \[\[? [^\n]*; then|(?:fi|esac)[ \t]*$)/m],
  ['a Markdown document', /^```/m],
  ['JSON, whose file ends in `.json`', /^\s*[{[]\s*(?:["{}\]]|$)/],
  ['XML', /^\s*<[?!a-z]/i],
  ['a workflow in YAML, whose file ends in `.yml`', /^steps:[ \t]*(?:#[^\n]*)?\r?\n[ \t]*- /m],
  [
    'a JavaScript or TypeScript program',
    /^(?:import\s[^\n]*\sfrom\s+['"]|export (?:default|const|function|type|class) |\/[/*]+ *@flow)/m,
  ],
];

/** Signs of texts in which no step stands; all of one must be there. */
const TEXTS_FOR_PEOPLE: [string, ...RegExp[]][] = [
  ['a Markdown document', /^#{1,6} \S/m, /^(?:[-*+] \S|\d+[.)] \S|\*\*|\|)|^[A-Z][^\n]*[a-z] [a-z]/m],
  ['YAML, whose files end in `.yml`', /^[A-Za-z_][\w-]*:(?:[ \t]|\r?$)[^]*^[A-Za-z_][\w-]*:(?:[ \t]|\r?$)/m],
];

/** What only its name tells. */
const NEVER = /(?!)/;

const TEXTS: { name: string; file?: RegExp; text: RegExp }[] = [
  {
    name: 'a Dockerfile',
    file: /^(?:Dockerfile|Containerfile)(?:\..+)?$/,
    text: /^(?:#[^\n]*\n|ARG [^\n]*\n|[ \t]*\n)*FROM [^\n]*\n(?:[^]*\n)?(?:RUN|COPY|CMD|WORKDIR|ENTRYPOINT|ENV) /,
  },
  { name: 'a makefile', file: /^(?:GNU)?[Mm]akefile$|\.mk$/, text: /^\.PHONY[ \t]*:/m },
  { name: 'a Jenkins pipeline', file: /^Jenkinsfile$/, text: /^\s*(?:\/\/[^\n]*\n\s*)*pipeline\s*\{/ },
  { name: 'a justfile', file: /^\.?[Jj]ustfile$/, text: /^set shell := \[/m },
  { name: 'a Gemfile', file: /^Gemfile$/, text: NEVER },
  { name: 'a Go module', file: /^go\.(?:mod|sum)$/, text: NEVER },
  { name: 'a file of environment variables', file: /^\.env(?:\..+)?$/, text: NEVER },
  { name: 'a table of data', file: /\.[ct]sv$/, text: NEVER },
  { name: 'a TypeScript configuration', file: /^(?:ts|js)config(?:\..+)?\.json$/, text: NEVER },
  { name: 'an npm package manifest', file: /^package\.json$/, text: NEVER },
  { name: 'a lock file of packages', file: /\.lock$|^pnpm-lock\.yaml$/, text: NEVER },
  { name: 'a GitLab pipeline', file: /^\.gitlab-ci\.ya?ml$/, text: NEVER },
  { name: 'a dev container', file: /^\.?devcontainer\.json$/, text: NEVER },
  { name: 'settings of VS Code', file: /\.code-workspace$/, text: NEVER },
  { name: 'a list of who owns which files', file: /^CODEOWNERS$/, text: NEVER },
  { name: 'a Procfile', file: /^Procfile$/, text: NEVER },
  { name: 'a list of Python packages', file: /^requirements(?:[-.].+)?\.txt$/, text: NEVER },
  { name: 'a Python program', file: /\.pyi?$/, text: NEVER },
  { name: 'a JavaScript or TypeScript program', file: /\.[cm]?[jt]sx?$/, text: NEVER },
  { name: 'a shell script', file: /\.(?:ba|z|fi)?sh$/, text: NEVER },
  { name: 'a file of SQL', file: /\.sql$/, text: NEVER },
  { name: 'a file of settings in INI', file: /\.(?:ini|cfg|properties)$/, text: NEVER },
  { name: 'a script', text: /^#!/ },
  { name: 'an HTML page', text: /^\s*<(?:!doctype html|html)/i },
  { name: 'an XML document', text: /^\s*<\?xml/ },
  { name: 'a Terraform file', file: /\.tf$/, text: /^(?:terraform|provider "[^"]+"|resource "[^"]+" "[^"]+") \{/m },
  { name: 'a certificate or key', text: /^-----BEGIN [A-Z ]+-----/ },
];
