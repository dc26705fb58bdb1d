import { expect, it } from 'vitest';
import { handlerOf } from '../../../src/activities/tools/handlers.js';
import { BUILTIN_TOOLS, QUICK_TOOLS } from '../../../src/plan/tools/tool.js';

it('the tools that the Plan calls quick are those whose handlers are', () => {
  const quick = BUILTIN_TOOLS.filter((name) => handlerOf({ kind: 'builtin', name }).quick);
  expect([...QUICK_TOOLS].sort()).toEqual([...quick].sort());
});
