// Every function exported here is a workflow type: export nothing else.
export { perdure } from './interpreter.js';
export { perdureDevices } from './device-keeper.js';
export { perdureNotice } from './notices.js';
export { perdureStore } from './store-access.js';
