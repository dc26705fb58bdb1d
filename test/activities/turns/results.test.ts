import { expect, it } from 'vitest';
import type { WholeTurn } from '../../../src/activities/contract.js';
import { addResults } from '../../../src/activities/turns/results.js';
import { addMessage, openTranscript, readConversation } from '../../../src/activities/turns/transcript.js';
import type { Turn } from '../../../src/activities/turns/turn.js';
import { blocksOf } from '../../../src/activities/models/protocol/message.js';
import { AGENT } from '../helpers/harness.js';
import { toolContext } from '../helpers/tool-context.js';

it('a refusal is told to the model as long as a result may be, and no longer', async () => {
  const { store, log, workspace } = await toolContext();
  const opening = await openTranscript(store, {
    system: '',
    key: `sha256:${'a'.repeat(64)}`,
    model: { provider: 'ollama', model: 'any' },
    workspace,
  });
  const name = 'no_such_tool'.repeat(100_000);
  const head = await addMessage(store, opening, {
    role: 'assistant',
    blocks: [{ kind: 'call', id: 'one', name, input: {} }],
  });
  // Nothing else of a turn is looked at.
  const turn = {
    deps: { store },
    call: {
      root: { run: 'run' },
      path: 'work',
      turn: 2,
      said: [],
      ends: [{ refused: true }],
      workspace,
    } as unknown as WholeTurn,
    agent: { ...AGENT, max_output_kb: 3 },
    log,
  } as unknown as Turn;
  const { messages } = await readConversation(store, await addResults(turn, head));
  const [told] = blocksOf(messages.at(-1)!);
  expect(told).toMatchObject({
    text: expect.stringMatching(/^There is no tool `no_such_tool[^]*bytes left out/) as string,
  });
  expect(told?.kind === 'result' ? told.text.length : null).toBeLessThan(4_000);
});
