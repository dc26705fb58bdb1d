import type { Definition } from '../load.js';

export type AgentDefinition = Definition & { format: 'agent' };
