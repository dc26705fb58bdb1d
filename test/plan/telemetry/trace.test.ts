import { describe, expect, it } from 'vitest';
import { readTraceParent, traceParent } from '../../../src/plan/telemetry/trace.js';

const ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it('is read as it was written', () => {
    expect(readTraceParent(traceParent(ID, SPAN))).toEqual({ id: ID, parent: SPAN, sampled: true });
    expect(readTraceParent(`00-${ID}-${SPAN}-00`)).toMatchObject({ sampled: false });
    expect(readTraceParent(`01-${ID}-${SPAN}-03-more`)).toMatchObject({ id: ID, sampled: true });
    expect(readTraceParent(` ${traceParent(ID, SPAN)}\n`)).toMatchObject({ id: ID, parent: SPAN });
  });

  it('may begin or end with zeros', () => {
    const [id, parent] = [`${'0'.repeat(8)}${'a'.repeat(16)}${'0'.repeat(8)}`, '00000000000000f0'];
    expect(readTraceParent(traceParent(id, parent))).toMatchObject({ id, parent });
  });

  it.each([
    undefined,
    '',
    'no',
    `00-${ID}-${SPAN}-01-more`,
    `ff-${ID}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${ID}-${'0'.repeat(16)}-01`,
    `00-${ID.toUpperCase()}-${SPAN}-01`,
  ])('is none in %s', (text) => {
    expect(readTraceParent(text)).toBeNull();
  });
});
