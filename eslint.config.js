// Limits (CONTRIBUTING.md), import fences (I1) and the workflow sandbox as lint rules.
import js from '@eslint/js';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';
import { noLoops } from './scripts/lint/no-loops.mjs';

/** Folders of `src/` that each folder may import from, besides itself (I1). */
const MAY_IMPORT = {
  plan: [],
  compiler: ['plan'],
  workflows: ['plan', 'activities'],
  activities: ['plan', 'store'],
  store: ['plan'],
  workers: ['plan', 'store', 'activities', 'compiler'],
  cli: ['plan', 'store', 'activities', 'compiler', 'workers', 'mcp', 'web'],
  mcp: ['plan', 'store', 'activities', 'compiler', 'workers', 'cli'],
  web: ['plan', 'store', 'activities', 'compiler', 'workers', 'cli'],
};

const fences = Object.entries(MAY_IMPORT).map(([folder, others]) => ({
  target: `./src/${folder}`,
  from: './src',
  except: [folder, ...others].map((name) => `./${name}`),
  message: `\`${folder}/\` imports only from ${['itself', ...others.map((name) => `\`${name}/\``)].join(', ')} (I1).`,
}));

/** Globals that the workflow sandbox lacks, or that would make a replay differ. */
const NOT_IN_WORKFLOWS = [
  'process',
  'Buffer',
  'setImmediate',
  'fetch',
  'performance',
  'require',
  '__dirname',
  '__filename',
];

/** What a module can hold that changes: a `let`, or a collection that begins empty. */
const STATE_OF_A_MODULE = [
  ':matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind="let"]',
  ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator > ' +
    'NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/][arguments.length=0]',
];

/** Files that start processes: all others take `runProgram`, or what `activities/processes/` has for steps. */
const STARTS_PROCESSES = [
  // For steps: each carries a run's tag and ends with its group or its worker (I5).
  'src/activities/processes/launcher/launcher.ts',
  'src/activities/processes/launcher/main.ts',
  'src/activities/processes/started-process.ts',
  'src/activities/tools/shell/network/attach.ts',
  'src/activities/devices/port/open-port.ts',
  // Of a simulated board, with whose process it ends.
  'src/activities/devices/board/terminal.ts',
  'src/activities/mcp/process-transport.ts',
  // Outlive who starts them.
  'src/workers/server/embedded-server.ts',
  'src/workers/worker/watchdog.ts',
  'src/workers/host/host-spawn.ts',
  // What belongs to no step: by execa.
  'src/store/processes/run-program.ts',
];

const ONE_WRITER =
  'What people see is written by `cli/output.ts` alone: nothing hidden and nothing that acts on a terminal ' +
  'passes there.';
/** In Node 20 it never aborts once it was collected, which may happen inside of `AbortSignal.any`. */
const LIMIT_THAT_IS_LOST = {
  object: 'AbortSignal',
  property: 'timeout',
  message: 'Use `timeLimit` of `store/time-limit.ts`: this one may be collected, and never aborts then.',
};
/** Ways to the streams of the process, and what could be written to under the name of one. */
const WAYS_TO_A_TERMINAL = {
  properties: [
    ...['stdout', 'stderr', '_rawDebug'].map((property) => ({ object: 'process', property, message: ONE_WRITER })),
    { object: 'globalThis', property: 'process', message: ONE_WRITER },
    { object: 'globalThis', property: 'console', message: ONE_WRITER },
  ],
  syntax: [
    'CallExpression > MemberExpression.callee[property.name=/^(write|end|pipe)$/]' +
      ':matches([object.name=/^(stdout|stderr|stream|output)$/], ' +
      ':has(MemberExpression[property.name=/^(stdout|stderr)$/]))',
    'CallExpression[callee.property.name="pipe"] > :matches(Identifier[name=/^(stdout|stderr)$/], ' +
      'MemberExpression[property.name=/^(stdout|stderr)$/])',
    'CallExpression[callee.name=/^(write|writev|writeFile|appendFile)(Sync)?$/] > ' +
      'Literal:first-child[value=/^([12]|\\/dev\\/(tty|stdout|stderr|fd\\/[12])|\\/proc\\/self\\/fd\\/[12])$/]',
    'CallExpression:matches([callee.name=/^writev?Sync$/], [callee.property.name=/^writev?Sync$/]) > ' +
      'Literal:first-child[value>0]',
    'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name=/^(stdout|stderr)$/]',
    'ImportDeclaration[source.value=/^(node:)?(console|tty|process)$/]',
    'ImportExpression[source.value=/^(node:)?(console|tty|process)$/]',
  ].map((selector) => ({ selector, message: ONE_WRITER })),
};

/** A command that people copy, with a word behind it that is not ours. */
const UNQUOTED_COMMANDS = [
  ':matches(TemplateElement[value.raw=/\\b(perdure|git|cd)( [a-z-]+)+ ?$/][tail=false], ' +
    'TemplateElement[value.raw=/\\bcd $/], ' +
    'BinaryExpression > Literal[value=/\\b(perdure|git)( [a-z-]+)+ $/])',
].map((selector) => ({
  selector,
  message: 'Take `shellCommand` of `plan/text/`: it quotes what a command names.',
}));

const NODE_GLOBALS = [
  'process',
  'console',
  'performance',
  'setTimeout',
  'clearTimeout',
  'fetch',
  'URL',
  'AbortSignal',
  'Buffer',
];

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'dist.*/**',
      'node_modules/**',
      'coverage/**',
      'editors/vscode/**',
      'bench-results/**',
      'mutants/**',
      '.mutants/**',
      '.perdure/**',
      'test/**/fixtures/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, 'readonly'])) },
  },
  {
    files: ['**/*.{js,mjs,ts,tsx}'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({
          extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
          extensions: ['.ts', '.tsx', '.js', '.mjs'],
        }),
      ],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
    },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 100 }],
      complexity: ['error', 15],
      'max-params': ['error', 4],
      'max-depth': ['error', 4],
      // `== null` asks for null or undefined at once.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],
      'import-x/no-cycle': 'error',
      'import-x/no-self-import': 'error',
      'import-x/no-default-export': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // TypeScript finds undefined names, and knows more of them.
      'no-undef': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      // A lookup that cannot miss says why beside it; the compiler knows no better word for it.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/only-throw-error': ['error', { allowRethrowing: true, allowThrowingUnknown: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      // `Json` is a union with objects; where text is made of one, a check before has told scalars apart.
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { jsdoc, perdure: { rules: { 'no-loops': noLoops } } },
    rules: {
      'perdure/no-loops': 'error',
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: fences }],
      'import-x/no-default-export': 'error',
      // A function of a few lines may be its own description.
      'jsdoc/require-jsdoc': [
        'error',
        { publicOnly: true, minLineCount: 6, require: { FunctionDeclaration: true, ArrowFunctionExpression: true } },
      ],
      'jsdoc/require-description': ['error', { contexts: ['FunctionDeclaration'] }],
    },
  },
  {
    files: ['src/plan/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^[^.]', message: '`plan/` imports nothing outside itself (I1).' }] },
      ],
    },
  },
  {
    files: ['src/compiler/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(@temporalio/|@anthropic-ai/|node:(net|http|https|child_process))',
              message: '`compiler/` knows no Temporal and no network.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/workflows/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@temporalio/workflow',
              importNames: ['condition'],
              message: 'Take `condition` of `workflows/determinism/`: by what it counts `settled` and `idle` know.',
            },
          ],
          patterns: [
            {
              regex: '/activities/',
              allowTypeImports: true,
              message: 'Of `activities/` a workflow imports types only (I1).',
            },
            {
              regex: '^(?!\\.|@temporalio/(workflow|common)$)',
              message: 'Workflow code is deterministic: no Node builtins, no other packages (I1).',
            },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        ...NOT_IN_WORKFLOWS.map((name) => ({ name, message: 'The workflow sandbox has no such thing.' })),
      ],
    },
  },
  {
    // Workflow code has a narrower rule above.
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/workflows/**', 'src/workers/workflow-thread/**', 'src/workers/connection/temporal-client.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@temporalio/client',
              importNames: ['Client', 'WorkflowClient'],
              allowTypeImports: true,
              message: 'Take `createClient` of `workers/connection/`: what it sends is encrypted where there are keys.',
            },
          ],
          patterns: [
            {
              regex: '^@temporalio/[^/]+/lib/',
              allowTypeImports: true,
              message: 'Undocumented modules of the SDK are used in `workers/workflow-thread/` alone (decision 17).',
            },
          ],
        },
      ],
    },
  },
  {
    // The readers themselves, a key that others may not read, and what the kernel says.
    files: ['src/store/**/*.ts'],
    ignores: ['src/store/read-{regular,plain}.ts', 'src/store/folders/state-folders.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        ...['node:fs', 'node:fs/promises'].map((name) => ({
          name,
          importNames: ['readFile', 'readFileSync'],
          message: 'Take `readText` of `store/read-regular.ts`: it waits for no pipe in place of a file.',
        })),
      ],
    },
  },
  {
    // `plan/`, `compiler/` and `workflows/` have narrower rules above.
    files: ['src/{activities,store,workers,cli,mcp,web}/**/*.{ts,tsx}'],
    ignores: STARTS_PROCESSES,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^((node:)?(child_process|cluster)|execa)$',
              message:
                'Take `runProgram` of `store/processes/`; what a step starts carries a run tag and ends with its ' +
                'group (I5, decision 30).',
            },
          ],
        },
      ],
    },
  },
  {
    // Until the first release.
    files: ['src/workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '@temporalio/workflow',
          importNames: ['patched', 'deprecatePatch'],
          message: 'Nothing was released: nobody has histories of an earlier version (decision 28).',
        },
      ],
    },
  },
  {
    // The writer; the host's own log; a board's one line to its parent process, and the line to a board.
    files: ['src/**/*.{ts,tsx}'],
    ignores: [
      'src/cli/output.ts',
      'src/workers/host/host-process.ts',
      'src/activities/devices/board/main.ts',
      'src/activities/devices/serial-line.ts',
    ],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': ['error', ...WAYS_TO_A_TERMINAL.properties, LIMIT_THAT_IS_LOST],
      'no-restricted-syntax': ['error', ...WAYS_TO_A_TERMINAL.syntax, ...UNQUOTED_COMMANDS],
    },
  },
  {
    files: ['src/workflows/**/*.ts', 'src/plan/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...WAYS_TO_A_TERMINAL.properties,
        LIMIT_THAT_IS_LOST,
        {
          object: 'globalThis',
          message:
            'What a shared module sets while it loads is set for all runs of a worker (`preloadModules` in ' +
            'scripts/build.mjs); what a run knows stands in its context.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        ...WAYS_TO_A_TERMINAL.syntax,
        ...STATE_OF_A_MODULE.map((selector) => ({
          selector,
          message:
            'All runs of a worker share one copy of this module (`preloadModules` in scripts/build.mjs): it may ' +
            'hold no state.',
        })),
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // A `describe` is one function; its length says nothing.
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
