import { Worker } from '@temporalio/worker';
import { quietRuntime, serve } from '../serve.js';
import { byHandSetup } from './setup.js';
import { limitStackTraces } from './stack-traces.js';

quietRuntime();
limitStackTraces();
const setup = await byHandSetup();
await serve(await Worker.create(setup), setup.connection);
