// Every function exported here is a workflow type: export nothing else.
export { perdure } from './interpreter.js';
export { perdureDevices } from './devices/device-keeper.js';
export { perdureNotice } from './lifecycle/notices.js';
export { perdureStore } from './store-access/ask-store.js';
export { perdureStart } from './triggers/start-run.js';
