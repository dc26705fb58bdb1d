// Every function exported here is a workflow type: export nothing else.
export { perdure } from './interpreter.js';
