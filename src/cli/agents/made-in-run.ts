import type { MadeAgent } from '../../plan/agents/made-definition.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { RunRecord } from '../../plan/result.js';
import { plannedInTree } from '../../activities/made/planned.js';
import { madeInTree } from '../../activities/made/registry.js';
import { shownTexts } from '../../compiler/builds/approval-first.js';
import { literalTemplate } from '../../compiler/steps/base.js';
import type { Store } from '../../store/store.js';
import { viewOfRecord } from '../observe/closed.js';
import type { DefinitionKind } from './keep-definition.js';
import { temporaryAgents } from './temporary-agents.js';

/** A definition that was made in a run, or that a client made and had run. */
export interface MadeHere {
  kind: DefinitionKind;
  name: string;
  description: string | null;
  ending: 'yml' | 'agent';
  /** Word for word as it was approved. */
  text: string;
  /**
   * Who allowed it: a person who was shown it, the permissions of the project; or nobody had to, for a temporary agent
   * of a definition that a person submitted.
   */
  approved: 'person' | 'permissions' | 'submitter';
}

/** All that was made in a closed run and approved: by its agents, by the client that started it, for its definition. */
export async function madeIn(record: RunRecord, store: Store): Promise<MadeHere[]> {
  const plan = await store.getPlan(record.plan);
  const temporary = record.status === 'success' ? await temporaryAgents(plan, store) : [];
  return [
    ...(await madeByClient(record, plan, store)),
    ...(await madeByAgents(record, store)),
    ...(await plannedHere(record, store)),
    ...temporary.map(({ name, description, text }): MadeHere => ({
      ...{ kind: 'agent', name, description, ending: 'yml', text, approved: 'submitter' },
    })),
  ];
}

async function madeByAgents(record: RunRecord, store: Store): Promise<MadeHere[]> {
  const entries = await madeInTree(store, record.journal);
  return Promise.all(
    entries.map(async ({ kind, name, ref, text, shown }): Promise<MadeHere> => {
      // what is stored is read by its hash, and refused where it is another
      const [written, made] = await Promise.all([store.get(text), store.get(ref)]);
      const description = kind === 'agent' ? (made as unknown as MadeAgent).agent.description : null;
      return {
        ...{ kind, name, description, text: String(written), ending: kind === 'agent' ? 'agent' : 'yml' },
        approved: shown === true ? 'person' : 'permissions',
      };
    }),
  );
}

/** What `plan` steps ran: a workflow that was not approved left no run of its own. */
async function plannedHere({ run, journal }: RunRecord, store: Store): Promise<MadeHere[]> {
  const planned = await plannedInTree(store, journal);
  if (planned.length === 0) return [];
  const nested = await Promise.all((await store.listRuns(run)).map((one) => store.readRun(one)));
  const ran = new Set(nested.map((one) => one?.plan));
  const approved = planned.filter(({ plan }) => ran.has(plan));
  return Promise.all(
    approved.map(async ({ name, text, unasked }): Promise<MadeHere> => ({
      ...{ kind: 'workflow', name, description: null, ending: 'yml', text: String(await store.get(text)) },
      approved: unasked ? 'submitter' : 'person',
    })),
  );
}

/** What the first gate showed, where it was approved: its content is compared with what would be promoted. */
async function madeByClient(record: RunRecord, plan: Plan, store: Store): Promise<MadeHere[]> {
  const [gate] = plan.steps;
  const { made = [] } = plan;
  if (made.length === 0 || gate?.kind !== 'approval') return [];
  const { steps } = await viewOfRecord(record, store);
  if (steps[0]?.status !== 'success') return [];
  const all = await Promise.all(made.map(async (one) => ({ ...one, text: await store.getText(one.text) })));
  const shown = literalTemplate(shownTexts(all), new Map());
  if (canonicalJson({ ...shown }) !== canonicalJson(gate.content === null ? null : { ...gate.content })) return [];
  return all.map(({ kind, name, ending, text }) => ({
    ...{ kind, name, description: null, ending, text, approved: 'person' as const },
  }));
}
