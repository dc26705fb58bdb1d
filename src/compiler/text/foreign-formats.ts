import { basename } from 'node:path';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

interface Sign {
  name: string;
  is: (value: JsonObject) => boolean;
}

/** What a document of another tool seems to be, by its keys; null where nothing says so. */
export function foreignDocument(value: Json): string | null {
  if (Array.isArray(value))
    return (
      LISTS.find(({ every }) => value.length > 0 && value.every((item) => isObject(item) && every(item)))?.name ?? null
    );
  if (!isObject(value) || isOurs(value)) return null;
  return SIGNS.find(({ is }) => is(value))?.name ?? null;
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
  return FLOWS.find(([, sign]) => sign.test(shown))?.[0] ?? null;
}

const FLOWS: [string, RegExp][] = [
  ['JSON, whose file ends in `.json`', /^\s*[{[]\s*(?:["{}\]]|$)/],
  ['XML', /^\s*<[?!a-z]/i],
  ['a workflow in YAML, whose file ends in `.yml`', /^steps:[ \t]*(?:#[^\n]*)?\r?\n[ \t]*- /m],
  [
    'a JavaScript or TypeScript program',
    /^(?:import\s[^\n]*\sfrom\s+['"]|export (?:default|const|function|type|class) |\/[/*]+ *@flow)/m,
  ],
];

/** What only its name tells. */
const NEVER = /(?!)/;

const TEXTS: { name: string; file?: RegExp; text: RegExp }[] = [
  {
    name: 'a Dockerfile',
    file: /^(?:Dockerfile|Containerfile)(?:\..+)?$/,
    text: /^(?:#[^\n]*\n|ARG [^\n]*\n|[ \t]*\n)*FROM [^\n:]*[^\n]*\n(?:[^]*\n)?(?:RUN|COPY|CMD|WORKDIR|ENTRYPOINT|ENV) /,
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

const LISTS: { name: string; every: (item: JsonObject) => boolean }[] = [
  { name: 'an Ansible playbook', every: (item) => 'hosts' in item || 'import_playbook' in item },
  {
    name: 'a list of Ansible tasks',
    every: (item) =>
      'name' in item &&
      Object.keys(item).some((key) =>
        /^(?:ansible\.builtin\.|community\.)|^(?:apt|yum|dnf|pip|copy|template|file|service|systemd|user|shell|git|lineinfile|package|unarchive|debug)$/.test(
          key,
        ),
      ),
  },
  {
    name: 'a list of Home Assistant automations',
    every: (item) => ('trigger' in item || 'triggers' in item) && ('action' in item || 'actions' in item),
  },
];

const SIGNS: Sign[] = [
  {
    name: 'a GitHub Actions workflow',
    is: ({ jobs, on }) =>
      someValue(
        jobs,
        (job) => hasAny(job, 'runs-on', 'uses', 'strategy') || (on !== undefined && hasAny(job, 'steps')),
      ),
  },
  { name: 'a GitHub action', is: ({ runs }) => hasAny(runs, 'using') },
  {
    name: 'a Dependabot configuration',
    is: ({ updates }) => someItem(updates, (item) => hasAny(item, 'package-ecosystem')),
  },
  {
    name: 'a CircleCI configuration',
    is: (value) =>
      'version' in value &&
      (hasAny(value, 'orbs', 'executors') ||
        someValue(value['jobs'], (job) => hasAny(job, 'docker', 'machine', 'macos', 'executor'))),
  },
  {
    name: 'a Bitbucket pipeline',
    is: ({ pipelines }) => hasAny(pipelines, 'default', 'branches', 'pull-requests', 'custom', 'tags'),
  },
  {
    name: 'an Azure pipeline',
    is: (value) =>
      hasAny(value, 'pool', 'trigger', 'pr', 'resources') &&
      ['steps', 'jobs', 'stages'].some((key) =>
        someItem(value[key], (item) =>
          hasAny(item, 'task', 'script', 'bash', 'pwsh', 'job', 'stage', 'deployment', 'template'),
        ),
      ),
  },
  {
    name: 'a Buildkite pipeline',
    is: ({ steps }) =>
      someItem(
        steps,
        (step) =>
          hasAny(step, 'label', 'plugins', 'artifact_paths') &&
          (typeof step['command'] === 'string' || hasAny(step, 'commands', 'trigger', 'plugins')),
      ),
  },
  {
    name: 'a Google Cloud build',
    is: ({ steps }) =>
      someItem(
        steps,
        (step) =>
          typeof step['name'] === 'string' &&
          step['name'].includes('/') &&
          hasAny(step, 'args', 'entrypoint', 'script'),
      ),
  },
  { name: 'a Drone pipeline', is: (value) => value['kind'] === 'pipeline' && 'type' in value },
  {
    name: 'a Travis CI configuration',
    is: (value) =>
      hasAny(value, 'language') &&
      hasAny(value, 'script', 'install', 'before_install', 'before_script', 'node_js', 'python', 'jdk', 'matrix'),
  },
  {
    name: 'a GitLab pipeline',
    is: (value) =>
      Object.values(value).some(
        (job) =>
          isObject(job) && (Array.isArray(job['script']) || (typeof job['script'] === 'string' && 'stage' in job)),
      ),
  },
  { name: 'an Argo workflow', is: (value) => startsWith(value['apiVersion'], 'argoproj.io/') },
  { name: 'a Tekton pipeline', is: (value) => startsWith(value['apiVersion'], 'tekton.dev/') },
  {
    name: 'a Kubernetes object',
    is: (value) => typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string',
  },
  {
    name: 'a Helm chart',
    is: (value) =>
      ['v1', 'v2'].some((version) => value['apiVersion'] === version) && 'version' in value && 'name' in value,
  },
  {
    name: 'a Docker Compose file',
    is: ({ services }) =>
      someValue(services, (service) => hasAny(service, 'image', 'build', 'command', 'ports', 'volumes', 'extends')),
  },
  {
    name: 'an OpenAPI description',
    is: (value) => hasAny(value, 'openapi', 'swagger') && hasAny(value, 'paths', 'info', 'components'),
  },
  { name: 'an AsyncAPI description', is: (value) => hasAny(value, 'asyncapi') },
  {
    name: 'a Cargo manifest',
    is: (value) =>
      hasAny(value['package'], 'name', 'version') &&
      (hasAny(value, 'dependencies', 'lib', 'bin', 'features', 'dev-dependencies') ||
        hasAny(value['package'], 'edition', 'rust-version')),
  },
  { name: 'a Cargo workspace', is: ({ workspace }) => hasAny(workspace, 'members', 'package') },
  {
    name: 'a Python project',
    is: (value) =>
      isObject(value['build-system']) ||
      isObject(value['project']) ||
      (isObject(value['tool']) && Object.keys(value).length === 1),
  },
  { name: 'an npm lock file', is: (value) => hasAny(value, 'lockfileVersion') },
  { name: 'a TypeScript configuration', is: ({ compilerOptions }) => isObject(compilerOptions) },
  {
    name: 'an npm package manifest',
    is: (value) =>
      ['dependencies', 'devDependencies', 'scripts', 'peerDependencies'].some((key) => someValue(value[key], null)) &&
      !('services' in value) &&
      !('tasks' in value),
  },
  {
    name: 'an npm package manifest',
    is: (value) =>
      ('version' in value || 'private' in value) &&
      'name' in value &&
      (hasAny(value, 'main', 'exports', 'license', 'module', 'bin', 'private', 'workspaces', 'engines') ||
        value['type'] === 'module' ||
        value['type'] === 'commonjs'),
  },
  {
    name: 'a Composer manifest',
    is: (value) => isObject(value['require']) && hasAny(value, 'autoload', 'require-dev', 'name'),
  },
  { name: 'a Taskfile', is: (value) => 'version' in value && isObject(value['tasks']) },
  { name: 'a pre-commit configuration', is: ({ repos }) => someItem(repos, (repo) => hasAny(repo, 'hooks')) },
  { name: 'a CNCF Serverless Workflow', is: ({ document }) => hasAny(document, 'dsl') },
  {
    name: 'a CloudFormation template',
    is: (value) =>
      'AWSTemplateFormatVersion' in value || someValue(value['Resources'], (one) => startsWith(one['Type'], 'AWS::')),
  },
  { name: 'an AWS Step Functions state machine', is: (value) => 'StartAt' in value && isObject(value['States']) },
  { name: 'a Serverless Framework service', is: (value) => 'service' in value && isObject(value['provider']) },
  {
    name: 'a conda environment',
    is: (value) => Array.isArray(value['channels']) && Array.isArray(value['dependencies']),
  },
  { name: 'a Prometheus configuration', is: (value) => Array.isArray(value['scrape_configs']) },
  { name: 'a Jupyter notebook', is: (value) => 'nbformat' in value },
  { name: 'an n8n workflow', is: (value) => Array.isArray(value['nodes']) && isObject(value['connections']) },
  { name: 'a list of MCP servers', is: ({ mcpServers }) => isObject(mcpServers) },
  {
    name: 'a CrewAI file of agents',
    is: (value) => everyValue(value, (one) => hasAny(one, 'role') && hasAny(one, 'goal', 'backstory')),
  },
  {
    name: 'a CrewAI file of tasks',
    is: (value) => everyValue(value, (one) => hasAny(one, 'expected_output') && hasAny(one, 'description')),
  },
  {
    name: 'a Kustomization',
    is: (value) =>
      Array.isArray(value['resources']) &&
      hasAny(
        value,
        'namePrefix',
        'nameSuffix',
        'patches',
        'commonLabels',
        'labels',
        'images',
        'configMapGenerator',
        'namespace',
      ),
  },
  {
    name: 'a pnpm workspace',
    is: (value) =>
      Array.isArray(value['packages']) &&
      Object.keys(value).every((key) =>
        ['packages', 'catalog', 'catalogs', 'overrides', 'onlyBuiltDependencies'].includes(key),
      ),
  },
  {
    name: 'an ESLint configuration',
    is: (value) =>
      isObject(value['rules']) && hasAny(value, 'extends', 'env', 'parser', 'parserOptions', 'plugins', 'root'),
  },
  {
    name: 'a Goose recipe',
    is: (value) => 'title' in value && Array.isArray(value['extensions']) && hasAny(value, 'instructions', 'prompt'),
  },
  {
    name: 'an Archon workflow',
    is: ({ nodes }) =>
      someItem(
        nodes,
        (node) =>
          hasAny(node, 'depends_on') || (hasAny(node, 'id') && hasAny(node, 'command', 'prompt', 'bash', 'loop')),
      ),
  },
  { name: 'a Conductor workflow', is: ({ tasks }) => someItem(tasks, (task) => hasAny(task, 'taskReferenceName')) },
  { name: 'an AutoGen component', is: (value) => 'component_type' in value && 'provider' in value },
  {
    name: 'a Langflow flow',
    is: ({ data }) =>
      data !== undefined && isObject(data) && Array.isArray(data['nodes']) && Array.isArray(data['edges']),
  },
  { name: 'a MkDocs configuration', is: (value) => 'site_name' in value },
  {
    name: 'settings of Claude Code',
    is: (value) =>
      hasAny(value['permissions'], 'allow', 'deny', 'defaultMode') &&
      !hasAny(value, 'steps', 'description', 'prompt', 'instructions', 'developer_instructions', 'system_prompt'),
  },
  {
    name: 'a Dify application',
    is: (value) => hasAny(value['app'], 'mode') && hasAny(value, 'kind', 'workflow', 'model_config'),
  },
  { name: 'a LangGraph application', is: ({ graphs }) => someValue(graphs, null) },
  {
    name: 'a dev container',
    is: (value) =>
      hasAny(value, 'image', 'build', 'dockerComposeFile') &&
      hasAny(value, 'features', 'customizations', 'forwardPorts', 'postCreateCommand', 'remoteUser'),
  },
  {
    name: 'a TypeScript configuration',
    is: (value) =>
      hasAny(value, 'include', 'files', 'references') &&
      hasAny(value, 'extends', 'exclude', 'compilerOptions', 'references'),
  },
  {
    name: 'a file of Prometheus rules',
    is: ({ groups }) => someItem(groups, (group) => Array.isArray(group['rules'])),
  },
  {
    name: 'a GitHub issue form',
    is: ({ body }) => someItem(body, (item) => hasAny(item, 'attributes') || item['type'] === 'markdown'),
  },
  {
    name: 'a promptfoo evaluation',
    is: (value) => Array.isArray(value['prompts']) && hasAny(value, 'providers', 'tests'),
  },
  {
    name: 'a list of VS Code tasks',
    is: ({ tasks }) => someItem(tasks, (task) => hasAny(task, 'label', 'taskName') && hasAny(task, 'type', 'command')),
  },
  {
    name: 'a list of VS Code launch configurations',
    is: ({ configurations }) => someItem(configurations, (one) => hasAny(one, 'request')),
  },
  {
    name: 'a file of Rasa training data',
    is: (value) =>
      ['stories', 'nlu', 'rules'].some((key) =>
        someItem(value[key], (item) => hasAny(item, 'story', 'intent', 'rule')),
      ),
  },
  { name: 'a Semaphore pipeline', is: ({ blocks }) => someItem(blocks, (block) => hasAny(block, 'task')) },
  {
    name: 'a Woodpecker pipeline',
    is: ({ steps }) =>
      someItem(steps, (step) => hasAny(step, 'image') && hasAny(step, 'commands', 'settings', 'plugins')) ||
      someValue(steps, (step) => hasAny(step, 'image')),
  },
  {
    name: 'a Codecov configuration',
    is: (value) =>
      hasAny(value, 'coverage', 'codecov') &&
      Object.keys(value).every((key) =>
        [
          'coverage',
          'codecov',
          'comment',
          'ignore',
          'flags',
          'component_management',
          'github_checks',
          'parsers',
        ].includes(key),
      ),
  },
  { name: 'a DVC pipeline', is: ({ stages }) => someValue(stages, (stage) => hasAny(stage, 'cmd')) },
  { name: 'a Kestra flow', is: ({ tasks }) => someItem(tasks, (task) => startsWith(task['type'], 'io.kestra')) },
  { name: 'a Prefect project', is: (value) => 'prefect-version' in value || Array.isArray(value['deployments']) },
  {
    name: 'a Vercel configuration',
    is: (value) =>
      ['rewrites', 'redirects', 'headers'].some((key) => someItem(value[key], (item) => hasAny(item, 'source'))),
  },
  { name: 'a Firebase configuration', is: (value) => hasAny(value['hosting'], 'public', 'site', 'rewrites') },
  { name: 'a Turborepo configuration', is: (value) => hasAny(value, 'pipeline', 'tasks') && hasSchema(value, 'turbo') },
  { name: 'an Nx workspace', is: (value) => hasAny(value, 'targetDefaults', 'nxCloudAccessToken') },
  {
    name: 'an Angular workspace',
    is: (value) => isObject(value['projects'] ?? null) && hasAny(value, 'newProjectRoot'),
  },
  { name: 'a pubspec of Dart', is: (value) => hasAny(value['environment'], 'sdk') },
  {
    name: 'a Pulumi project',
    is: (value) =>
      'name' in value &&
      'runtime' in value &&
      Object.keys(value).every((key) =>
        ['name', 'runtime', 'description', 'config', 'main', 'template', 'backend'].includes(key),
      ),
  },
  {
    name: 'a dbt project',
    is: (value) =>
      hasAny(value, 'model-paths', 'source-paths') || ('profile' in value && hasAny(value, 'models', 'config-version')),
  },
  { name: 'a tmuxinator project', is: (value) => Array.isArray(value['windows']) && 'root' in value },
  {
    name: 'a set of Helm values',
    is: (value) => 'replicaCount' in value || (hasAny(value['image'], 'repository') && !('steps' in value)),
  },
  {
    name: 'a Buildkite pipeline',
    is: ({ steps }) =>
      someItem(
        steps,
        (step) => typeof step['command'] === 'string' && hasAny(step, 'agents', 'key', 'plugins', 'queue'),
      ) && !someItem(steps, (step) => hasAny(step, 'id', 'needs')),
  },
  { name: 'an Azure Resource Manager template', is: (value) => hasSchema(value, 'deploymentTemplate.json') },
  { name: 'a Renovate configuration', is: (value) => hasSchema(value, 'renovate') },
  {
    name: 'a JSON Schema',
    is: (value) =>
      hasSchema(value, 'json-schema.org') &&
      hasAny(value, 'type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', '$defs', 'definitions'),
  },
];

/** What only our builds, tools, workflows and chains have: such a file is ours, whatever else it holds. */
function isOurs(value: JsonObject): boolean {
  return hasAny(value, 'nugget', 'goal', 'requirements', 'exec') || someItem(value['steps'], isOurStep);
}

function isOurStep(step: JsonObject): boolean {
  // A `wait` of nothing is Buildkite's.
  return (
    hasAny(
      step,
      'agent',
      'tool',
      'workflow',
      'plan',
      'approval',
      'ask',
      'set',
      'compile',
      'flash',
      'serial',
      'systemPrompt',
      'step',
      'foreach',
      'loop',
    ) ||
    Array.isArray(step['command']) ||
    (step['wait'] ?? null) !== null
  );
}

function hasAny(value: Json | undefined, ...keys: string[]): boolean {
  return value !== undefined && isObject(value) && keys.some((key) => Object.hasOwn(value, key));
}

function someItem(value: Json | undefined, is: (item: JsonObject) => boolean): boolean {
  return Array.isArray(value) && value.some((item) => isObject(item) && is(item));
}

/** Tells whether a map has an entry that is a map like this; null where an entry of texts is enough. */
function someValue(value: Json | undefined, is: ((item: JsonObject) => boolean) | null): boolean {
  if (value === undefined || !isObject(value)) return false;
  const entries = Object.values(value);
  return is === null
    ? entries.length > 0 && entries.every((entry) => typeof entry === 'string')
    : entries.some((entry) => isObject(entry) && is(entry));
}

function everyValue(value: JsonObject, is: (item: JsonObject) => boolean): boolean {
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => isObject(entry) && is(entry));
}

/** Tells whether the address of a document's schema says this. */
function hasSchema({ $schema }: JsonObject, part: string): boolean {
  return typeof $schema === 'string' && $schema.includes(part);
}

function startsWith(value: Json | undefined, start: string): boolean {
  return typeof value === 'string' && value.startsWith(start);
}
