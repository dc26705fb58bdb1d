// LangGraph's functional API over SQLite: what a task came to is written before the next one begins.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { entrypoint, task } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { ACTS, perform, serve } from './work.mjs';

const step = task('step', (act, args) => ACTS[act](...args));
const checkpointer = SqliteSaver.fromConnString(join(process.env.BENCH_PEER, 'langgraph.sqlite'));
const graph = entrypoint({ name: 'bench', checkpointer }, (job) => perform(job, step));

serve((job) => graph.invoke(job, { configurable: { thread_id: randomUUID() }, durability: 'sync' }));
