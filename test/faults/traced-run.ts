import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { ReceivedSpan } from '../fakes/otlp-receiver.js';
import type { Finished, Project } from './project.js';
import { kill, openProject, until } from './project.js';

const SERVER = fileURLToPath(new URL('../fakes/mcp-server.mjs', import.meta.url));
/** The trace of whoever starts the run. */
export const AROUND = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

/** Says that it began, waits for a word, and says which trace it is part of. */
const waiting = (name: string): string =>
  `[sh, -c, 'echo >> ${name}.begun; while [ ! -e ${name}.go ]; do sleep 0.02; done; printf %s "$TRACEPARENT"']`;

const FILES = {
  'perdure.yml': `mcp:\n  notes: {command: [${process.execPath}, ${SERVER}, .]}\n`,
  'definitions/agents/speaker.yml': 'name: speaker\nprompt: You repeat.\ntools: [notes__echo]\n',
  'definitions/workflows/below.yml': `name: below\nsteps:\n  - id: inner\n    command: ${waiting('inner')}\n`,
  'definitions/workflows/traced.yml': `name: traced
steps:
  - id: talk
    agent: speaker
    prompt: Repeat the word.
  - id: outer
    command: ${waiting('outer')}
  - id: nested
    workflow: below
  - id: each
    foreach: [a, b]
    steps:
      - id: quick
        command: [printf, "%s", "\${item}"]
        timeout: 5s
`,
};

/** A project whose run has a conversation with a tool, commands, a nested run and items. */
export interface TracedProject {
  project: Project;
  /** Runs it, and kills the host in a model's answer, in a command, and in a command of the nested run. */
  runOverKills(): Promise<Finished>;
  close(): Promise<void>;
}

/** `otlp` is where its telemetry goes. */
export async function openTracedProject(otlp: string): Promise<TracedProject> {
  let answer = (): void => undefined;
  const said = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const endpoint = await startModelEndpoint(({ results: { count } }) => {
    if (count > 0) return { text: 'the word', usage: { input: 40, output: 2 } };
    asked += 1;
    // The first question is answered to nobody: its worker is killed meanwhile.
    if (asked === 1) return { text: '', until: said, rest: 'too late' };
    return { tools: [{ name: 'notes__echo', input: { text: 'word' } }], usage: { input: 20, output: 8 } };
  });
  const project = await openProject(FILES, {
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: endpoint.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    TRACEPARENT: `00-${AROUND.trace}-${AROUND.span}-01`,
  });
  const file = (name: string): string => join(project.folder, name);
  const begun = async (name: string): Promise<number> =>
    existsSync(file(`${name}.begun`)) ? (await readFile(file(`${name}.begun`), 'utf8')).length : 0;

  async function killHost(): Promise<void> {
    const { host } = await project.pids();
    if (host === null) throw new Error('no host runs');
    kill(host);
  }

  return {
    project,
    async runOverKills() {
      const running = project.start('run', 'definitions/workflows/traced.yml', '--id', 'traced');
      let ended = false;
      void running.finished.then(() => (ended = true));
      const sees = (what: () => Promise<boolean> | boolean): Promise<true> =>
        until(async () => {
          if (ended) throw new Error(`it ended before its time: ${(await running.finished).stderr}`);
          return what();
        });
      await sees(() => endpoint.requests.length > 0);
      await killHost();
      await sees(async () => (await begun('outer')) > 0);
      await killHost();
      await sees(async () => (await begun('outer')) > 1);
      await writeFile(file('outer.go'), '');
      await sees(async () => (await begun('inner')) > 0);
      await killHost();
      await sees(async () => (await begun('inner')) > 1);
      await writeFile(file('inner.go'), '');
      return running.finished;
    },
    async close() {
      answer();
      await project.close();
      await endpoint.close();
    },
  };
}

/** What stands below what, sorted: `name < name of what is around it`. The model's id is left out. */
export function treeOf(spans: ReceivedSpan[]): string[] {
  const nameOf = (id: string): string => spans.find(({ spanId }) => spanId === id)?.name ?? id;
  return spans.map(({ name, parentSpanId }) => `${name.replace(/^chat .*/, 'chat')} < ${nameOf(parentSpanId)}`).sort();
}

/** The tree of such a run. */
export const TREE = [
  `invoke_workflow traced < ${AROUND.span}`,
  'invoke_agent speaker < invoke_workflow traced',
  'turn 1 < invoke_agent speaker',
  'chat < turn 1',
  'execute_tool notes__echo < turn 1',
  'turn 2 < invoke_agent speaker',
  'chat < turn 2',
  'command outer < invoke_workflow traced',
  'workflow nested < invoke_workflow traced',
  'invoke_workflow below < workflow nested',
  'command inner < invoke_workflow below',
  'foreach each < invoke_workflow traced',
  'round 1 < foreach each',
  'round 2 < foreach each',
  'command quick < round 1',
  'command quick < round 2',
].sort();
