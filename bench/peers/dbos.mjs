// DBOS over PostgreSQL, which syncs every commit.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { ACTS, perform, serve } from './work.mjs';

DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.env.BENCH_DATABASE, logLevel: 'error' });
const step = (act, args) => DBOS.runStep(() => ACTS[act](...args), { name: act });
const workflow = DBOS.registerWorkflow((job) => perform(job, step), { name: 'bench' });
await DBOS.launch();

serve(async (job) => (await DBOS.startWorkflow(workflow)(job)).getResult());
