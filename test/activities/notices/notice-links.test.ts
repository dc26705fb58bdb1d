import { expect, it } from 'vitest';
import { noticeLinks } from '../../../src/activities/notices/notice-links.js';
import type { GateOfNotice } from '../../../src/plan/gates/notice.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

const DAY_MS = 24 * 3_600_000;

function asked(gate: Partial<GateOfNotice['gate']>): GateOfNotice {
  const since = new Date(Date.now() - 10 * DAY_MS).toISOString();
  return {
    pages: 'https://runs.example.com',
    owner: { run: 'r', first: 'f' },
    gate: { path: 'ok', kind: 'approval', hash: 'sha256:0', since, ...gate },
  };
}

it('links of a reminder hold from when it is sent, also where the gate has been open for long', async () => {
  const [link] = await noticeLinks(asked({}), 'slack', await openStore(await temporaryFolder()));
  expect(Date.parse(link?.expires ?? '')).toBeGreaterThan(Date.now() + 6 * DAY_MS);
});

it('no link holds beyond the deadline of its gate', async () => {
  const deadline = new Date(Date.now() + DAY_MS).toISOString();
  expect(await noticeLinks(asked({ deadline }), 'slack', await openStore(await temporaryFolder()))).toMatchObject([
    { expires: deadline },
  ]);
});
