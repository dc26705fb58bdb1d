import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/workers/doctor.js';
import type { Finding } from '../../src/workers/doctor.js';
import { newFolder, openLink } from './setting.js';

const REQUIRED = { PATH: process.env['PATH'], HOME: '/nonexistent' };

async function finding(name: string, env: Record<string, string | undefined>, stateDir?: string): Promise<Finding> {
  const root = newFolder();
  const findings = await diagnose({ root, stateDir: stateDir ?? join(root, '.perdure'), configFile: null }, {}, env);
  const found = findings.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no finding ${name}`);
  return found;
}

describe('the doctor', () => {
  it('changes nothing', async () => {
    const root = newFolder();
    await diagnose({ root, stateDir: join(root, '.perdure'), configFile: null }, {}, REQUIRED);
    expect(existsSync(join(root, '.perdure'))).toBe(false);
  });

  it('says how to get a Temporal server when there is none and no Go', async () => {
    const found = await finding('temporal', { PATH: '/nowhere', HOME: '/nonexistent' });
    expect(found).toMatchObject({ ok: false, required: true, detail: 'there is none, and no Go to build it with' });
    expect(found.fix).toContain('PERDURE_TEMPORAL_BIN');
  });

  it('names the variables of providers, never their values', async () => {
    const found = await finding('claude api', { ...REQUIRED, ANTHROPIC_API_KEY: 'canary-77' });
    expect(found).toMatchObject({ ok: true, detail: 'ANTHROPIC_API_KEY set' });
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  it('says whether people can be told, without the address', async () => {
    const root = newFolder();
    const config = { notify: { command: ['./no-such-program'], webhook: '${env.HOOK}' } };
    const named = async (env: Record<string, string | undefined>) => (await diagnose({ root, stateDir: join(root, '.perdure'), configFile: null }, config, env)).filter(({ name }) => name.startsWith('notify'));
    expect(await named(REQUIRED)).toMatchObject([{ ok: false, required: false, detail: '`./no-such-program` is no program that can be run' }, { ok: false, detail: 'HOOK holds no http or https address', fix: 'Set HOOK where you run perdure: nobody is told' }]);
    const [, webhook] = await named({ ...REQUIRED, HOOK: 'https://hooks.example.org/canary-77' });
    expect(webhook).toEqual({ name: 'notify webhook', ok: true, required: false, detail: 'HOOK is set', fix: null });
  });

  it('finds a state folder that cannot be made', async () => {
    expect(await finding('state folder', REQUIRED, '/proc/1/nothing/.perdure')).toMatchObject({ ok: false, required: true });
  });

  it('shows the host that runs', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    expect((await finding('host', REQUIRED, stateDir)).detail).toContain(`task queue ${link.taskQueue}`);
    await link.close();
  });

  it('every finding that is not right and needed says what to do', async () => {
    const root = newFolder();
    const findings = await diagnose({ root, stateDir: join(root, '.perdure'), configFile: null }, {}, { PATH: '/nowhere', HOME: '/nonexistent' });
    expect(findings.filter(({ ok, fix }) => !ok && fix === null)).toEqual([]);
  });
});
