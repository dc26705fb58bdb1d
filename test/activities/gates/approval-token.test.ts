import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { issueToken, tokenRefusal } from '../../../src/activities/gates/approval-token.js';
import type { Decision } from '../../../src/plan/gates/gate.js';
import { openStore } from '../../../src/store/local-store.js';

const GATE = { run: 'fix-7k2m4xqa', first: 'f', gate: 'work/1.1', since: '2026-01-01T00:00:00.000Z' };
const DECISION: Decision = { gate: GATE.gate, decision: 'approve', hash: `sha256:${'a'.repeat(64)}`, by: 'ana' };

it('holds a token to whether the decision is remembered: nobody can add that to one that was given', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-token-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = await openStore(join(folder, 'state'));
  const once = await issueToken(GATE, DECISION, store);
  const always = await issueToken(GATE, { ...DECISION, remember: true }, store);
  const said = (token: string, more: Partial<Decision>) => tokenRefusal(GATE, { ...DECISION, ...more, token }, store);
  expect(await said(once, {})).toBeNull();
  expect(await said(always, { remember: true })).toBeNull();
  expect(await said(once, { remember: true })).not.toBeNull();
  expect(await said(always, {})).not.toBeNull();
});
