import type { Member } from '../../../plan/builds/build-spec.js';
import { dataBlock } from '../../../plan/text/data-block.js';

/** Part 2: how the agent speaks, as the spec has it. It says nothing about what the agent may do. */
export function personaPart({ persona }: Member): string | null {
  if (persona.trim() === '') return null;
  return (
    '## Your persona\n\nSpeak and care for things as this says; your task and your limits stay as they are.\n\n' +
    dataBlock('persona', persona)
  );
}
