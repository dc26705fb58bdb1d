import type { Matcher } from './match-document.js';
import {
  all,
  at,
  either,
  entry,
  everyEntry,
  has,
  item,
  list,
  not,
  only,
  someEntry,
  text,
  texts,
} from './match-document.js';

/** Words of Ansible that its tasks are known by. */
const ANSIBLE_TASK = new RegExp(
  '^(?:ansible\\.builtin\\.|community\\.)|^(?:apt|yum|dnf|pip|copy|template|file|service|systemd|user|shell|git|' +
    'lineinfile|package|unarchive|debug)$',
);

/** Documents of other tools that are lists: what each of their items looks like. */
export const LISTS: [name: string, every: Matcher][] = [
  ['an Ansible playbook', has('hosts', 'import_playbook')],
  ['a list of Ansible tasks', all(has('name'), (value) => Object.keys(value).some((key) => ANSIBLE_TASK.test(key)))],
  ['a list of Home Assistant automations', all(has('trigger', 'triggers'), has('action', 'actions'))],
];

/** Names a schema whose address has this in it. */
function schema(part: string): Matcher {
  return ({ $schema }) => typeof $schema === 'string' && $schema.includes(part);
}

/** Documents that no sign of ours makes ours: what they have in common with us means something else there. */
export const SURE: [name: string, matches: Matcher][] = [
  [
    'a Lobster workflow',
    all(
      list('steps'),
      either(
        item(
          'steps',
          either(text('pipeline'), text('stdin', /^\$[\w-]+\.(?:stdout|json)$/), text('condition', /\$[\w-]+\./)),
        ),
        item(
          'steps',
          all(text('command'), ({ approval }) => approval === true || approval === 'required'),
        ),
        all(
          item('steps', text('run')),
          item('steps', ({ approval }) => approval === true || approval === 'required'),
        ),
      ),
    ),
  ],
  [
    'an Archon workflow',
    item('nodes', all(has('id'), has('loop_group', 'trigger_rule', 'approval', 'include', 'script'))),
  ],
  [
    'a conductor workflow',
    all(at('workflow', has('entry_point')), either(list('agents'), list('parallel'), list('for_each'))),
  ],
];

/** Documents of other tools that are maps, the surer signs first. */
export const MAPS: [name: string, matches: Matcher][] = [
  [
    'a GitHub Actions workflow',
    either(entry('jobs', has('runs-on', 'uses', 'strategy')), all(has('on'), entry('jobs', has('steps')))),
  ],
  ['a GitHub action', at('runs', has('using'))],
  ['a Dependabot configuration', item('updates', has('package-ecosystem'))],
  [
    'a CircleCI configuration',
    all(has('version'), either(has('orbs', 'executors'), entry('jobs', has('docker', 'machine', 'macos', 'executor')))),
  ],
  ['a Bitbucket pipeline', at('pipelines', has('default', 'branches', 'pull-requests', 'custom', 'tags'))],
  [
    'an Azure pipeline',
    all(
      has('pool', 'trigger', 'pr', 'resources'),
      either(
        ...['steps', 'jobs', 'stages'].map((key) =>
          item(key, has('task', 'script', 'bash', 'pwsh', 'job', 'stage', 'deployment', 'template')),
        ),
      ),
    ),
  ],
  [
    'a Buildkite pipeline',
    item(
      'steps',
      all(has('label', 'plugins', 'artifact_paths'), either(text('command'), has('commands', 'trigger', 'plugins'))),
    ),
  ],
  ['a Google Cloud build', item('steps', all(text('name', /\//), has('args', 'entrypoint', 'script')))],
  ['a Drone pipeline', all(text('kind', /^pipeline$/), has('type'))],
  [
    'a Travis CI configuration',
    all(
      has('language'),
      has('script', 'install', 'before_install', 'before_script', 'node_js', 'python', 'jdk', 'matrix'),
    ),
  ],
  ['a GitLab pipeline', someEntry(either(list('script'), all(text('script'), has('stage'))))],
  ['an Argo workflow', text('apiVersion', /^argoproj\.io\//)],
  ['a Tekton pipeline', text('apiVersion', /^tekton\.dev\//)],
  ['a Kubernetes object', all(text('apiVersion'), text('kind'))],
  ['a Helm chart', all(text('apiVersion', /^v[12]$/), has('version'), has('name'))],
  ['a Docker Compose file', entry('services', has('image', 'build', 'command', 'ports', 'volumes', 'extends'))],
  ['an OpenAPI description', all(has('openapi', 'swagger'), has('paths', 'info', 'components'))],
  ['an AsyncAPI description', has('asyncapi')],
  [
    'a Cargo manifest',
    all(
      at('package', has('name', 'version')),
      either(
        has('dependencies', 'lib', 'bin', 'features', 'dev-dependencies'),
        at('package', has('edition', 'rust-version')),
      ),
    ),
  ],
  ['a Cargo workspace', at('workspace', has('members', 'package'))],
  ['a Python project', either(at('build-system'), at('project'), all(at('tool'), only('tool')))],
  ['an npm lock file', has('lockfileVersion')],
  ['a TypeScript configuration', at('compilerOptions')],
  [
    'an npm package manifest',
    all(
      either(...['dependencies', 'devDependencies', 'scripts', 'peerDependencies'].map(texts)),
      not(has('services', 'tasks')),
    ),
  ],
  [
    'an npm package manifest',
    all(
      has('version', 'private'),
      has('name'),
      either(
        has('main', 'exports', 'license', 'module', 'bin', 'private', 'workspaces', 'engines'),
        text('type', /^(?:module|commonjs)$/),
      ),
    ),
  ],
  ['a Composer manifest', all(at('require'), has('autoload', 'require-dev', 'name'))],
  ['a Taskfile', all(has('version'), at('tasks'))],
  ['a pre-commit configuration', item('repos', has('hooks'))],
  ['a Zigflow workflow', at('document', all(has('dsl'), has('taskQueue', 'workflowType')))],
  [
    'a CNCF Serverless Workflow',
    either(
      at('document', has('dsl')),
      all(has('specVersion'), list('states')),
      all(list('states'), has('start', 'functions')),
    ),
  ],
  ['a CloudFormation template', either(has('AWSTemplateFormatVersion'), entry('Resources', text('Type', /^AWS::/)))],
  ['an AWS Step Functions state machine', all(has('StartAt'), at('States'))],
  ['a Serverless Framework service', all(has('service'), at('provider'))],
  ['a conda environment', all(list('channels'), list('dependencies'))],
  ['a Prometheus configuration', list('scrape_configs')],
  ['a Jupyter notebook', has('nbformat')],
  ['an n8n workflow', all(list('nodes'), at('connections'))],
  ['a list of MCP servers', at('mcpServers')],
  ['a CrewAI file of agents', everyEntry(all(has('role'), has('goal', 'backstory')))],
  ['a CrewAI file of tasks', everyEntry(all(has('expected_output'), has('description')))],
  [
    'a Kustomization',
    all(
      list('resources'),
      has(
        ...['namePrefix', 'nameSuffix', 'patches', 'commonLabels', 'labels', 'images', 'configMapGenerator'],
        'namespace',
      ),
    ),
  ],
  [
    'a pnpm workspace',
    all(list('packages'), only('packages', 'catalog', 'catalogs', 'overrides', 'onlyBuiltDependencies')),
  ],
  ['an ESLint configuration', all(at('rules'), has('extends', 'env', 'parser', 'parserOptions', 'plugins', 'root'))],
  [
    'a Goose recipe',
    either(
      all(text('title'), has('description', 'version', 'extensions', 'activities'), has('instructions', 'prompt')),
      at('recipe', all(has('title'), has('instructions', 'prompt'))),
    ),
  ],
  [
    'an Archon workflow',
    item(
      'nodes',
      either(has('depends_on'), all(has('id'), has('command', 'prompt', 'bash', 'loop', 'cancel', 'workflow'))),
    ),
  ],
  ['a workflow of Netflix Conductor', item('tasks', has('taskReferenceName'))],
  ['an AutoGen component', all(has('component_type'), has('provider'))],
  ['a Langflow flow', at('data', all(list('nodes'), list('edges')))],
  ['a MkDocs configuration', has('site_name')],
  [
    'settings of Claude Code',
    all(
      at('permissions', has('allow', 'deny', 'defaultMode')),
      not(has('steps', 'description', 'prompt', 'instructions', 'developer_instructions', 'system_prompt')),
    ),
  ],
  ['a Dify application', all(at('app', has('mode')), has('kind', 'workflow', 'model_config'))],
  [
    'a LangGraph application',
    either(texts('graphs'), all(at('graphs'), has('dependencies', 'env', 'python_version', 'node_version'))),
  ],
  [
    'a graph of LangGraph',
    all(
      item('edges', all(has('source'), has('target'))),
      item(
        'nodes',
        either(({ id }) => id === '__start__', all(text('type', /^(?:schema|runnable)$/), at('data'))),
      ),
    ),
  ],
  [
    'a dev container',
    all(
      has('image', 'build', 'dockerComposeFile'),
      has('features', 'customizations', 'forwardPorts', 'postCreateCommand', 'remoteUser'),
    ),
  ],
  [
    'a TypeScript configuration',
    all(has('include', 'files', 'references'), has('extends', 'exclude', 'compilerOptions', 'references')),
  ],
  ['a file of Prometheus rules', item('groups', list('rules'))],
  ['a GitHub issue form', item('body', either(has('attributes'), text('type', /^markdown$/)))],
  ['a promptfoo evaluation', all(list('prompts'), has('providers', 'tests'))],
  ['a list of VS Code tasks', item('tasks', all(has('label', 'taskName'), has('type', 'command')))],
  ['a list of VS Code launch configurations', item('configurations', has('request'))],
  [
    'a file of Rasa training data',
    either(...['stories', 'nlu', 'rules'].map((key) => item(key, has('story', 'intent', 'rule')))),
  ],
  ['a Semaphore pipeline', item('blocks', has('task'))],
  [
    'a Woodpecker pipeline',
    either(item('steps', all(has('image'), has('commands', 'settings', 'plugins'))), entry('steps', has('image'))),
  ],
  [
    'a Codecov configuration',
    all(
      has('coverage', 'codecov'),
      only(
        ...['coverage', 'codecov', 'comment', 'ignore', 'flags', 'component_management', 'github_checks', 'parsers'],
      ),
    ),
  ],
  ['a DVC pipeline', entry('stages', has('cmd'))],
  ['a Kestra flow', item('tasks', text('type', /^io\.kestra/))],
  ['a Prefect project', either(has('prefect-version'), list('deployments'))],
  ['a Vercel configuration', either(...['rewrites', 'redirects', 'headers'].map((key) => item(key, has('source'))))],
  ['a Firebase configuration', at('hosting', has('public', 'site', 'rewrites'))],
  ['a Turborepo configuration', all(has('pipeline', 'tasks'), schema('turbo'))],
  ['an Nx workspace', has('targetDefaults', 'nxCloudAccessToken')],
  ['an Angular workspace', all(at('projects'), has('newProjectRoot'))],
  ['a pubspec of Dart', at('environment', has('sdk'))],
  [
    'a Pulumi project',
    all(has('name'), has('runtime'), only('name', 'runtime', 'description', 'config', 'main', 'template', 'backend')),
  ],
  ['a dbt project', either(has('model-paths', 'source-paths'), all(has('profile'), has('models', 'config-version')))],
  ['a tmuxinator project', all(list('windows'), has('root'))],
  ['a set of Helm values', either(has('replicaCount'), all(at('image', has('repository')), not(has('steps'))))],
  [
    'a Buildkite pipeline',
    all(
      item('steps', all(text('command'), has('agents', 'key', 'plugins', 'queue'))),
      not(item('steps', has('id', 'needs'))),
    ),
  ],
  ['an Azure Resource Manager template', schema('deploymentTemplate.json')],
  ['a Renovate configuration', schema('renovate')],
  [
    'a JSON Schema',
    all(
      schema('json-schema.org'),
      has('type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf', '$defs', 'definitions'),
    ),
  ],
];

/** Keys that only steps of ours have. */
const OUR_STEP = has(
  ...['agent', 'tool', 'workflow', 'plan', 'approval', 'ask', 'set', 'compile', 'flash', 'serial', 'systemPrompt'],
  ...['step', 'foreach', 'loop'],
);

/** What only our builds, tools, workflows and chains have: such a file is ours, whatever else it holds. */
export const isOurs = either(
  has('nugget', 'goal', 'requirements', 'exec'),
  // A `wait` of nothing is Buildkite's.
  item(
    'steps',
    either(OUR_STEP, list('command'), ({ wait = null }) => wait !== null),
  ),
);
