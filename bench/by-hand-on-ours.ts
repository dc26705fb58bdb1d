import { InterpreterWorker } from '../src/workers/workflow-thread/interpreter-worker.js';
import { byHandSetup } from './by-hand/setup.js';
import { quietRuntime, serve } from './serve.js';

// The hand-written side in a worker like ours: what is left is what the interpreter and its books cost.
quietRuntime();
const setup = await byHandSetup();
await serve(await InterpreterWorker.create(setup), setup.connection);
