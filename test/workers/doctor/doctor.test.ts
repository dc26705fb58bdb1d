import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/compiler/project/config.js';
import { diagnose, userFindings } from '../../../src/workers/doctor/doctor.js';
import type { Finding } from '../../../src/workers/doctor/finding.js';
import { endWithEachTest, newFolder, openLink } from '../helpers/setting.js';

endWithEachTest();

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

  it.each([
    ['has lost what it says of itself', '', 'to name this store by an `id`'],
    ['is of another version', '{"id":"abcdefgh","version":2}', 'to have version `1`, got `2`'],
  ])('tells of a store that %s', async (_, written, detail) => {
    const state = newFolder();
    writeFileSync(join(state, 'store.json'), written);
    expect(await finding('state folder', REQUIRED, state)).toMatchObject({
      ok: false,
      detail: expect.stringContaining(detail) as string,
      fix: null,
    });
  });

  it('tells a user without an entry in passwd of it', { tags: ['root'] }, () => {
    expect(userFindings()).toEqual([]);
    process.seteuid?.(12345);
    try {
      expect(userFindings()).toMatchObject([{ ok: false, detail: expect.stringContaining('12345 has no') as string }]);
    } finally {
      process.seteuid?.(0);
    }
  });

  it("tells root of another user's store", { tags: ['root'] }, async () => {
    const state = newFolder();
    writeFileSync(join(state, 'store.json'), '{"id":"abcdefgh","version":1}');
    chownSync(join(state, 'store.json'), 65534, 65534);
    expect(await finding('state folder', REQUIRED, state)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('belongs to user 65534, and this is user 0') as string,
    });
  });

  it.each([
    ['bytes', 'size=1m', /^\d MB free$/, 'Free at least 32 MB'],
    ['files', 'size=64m,nr_inodes=2', /^6\d MB free, but no room for one more file$/, 'Remove files from that disk'],
  ])(
    'tells of the disk of the state folder that it has no %s left',
    { tags: ['tmpfs'] },
    async (_, limit, detail, fix) => {
      const state = newFolder();
      execFileSync('mount', ['-t', 'tmpfs', '-o', limit, 'tmpfs', state]);
      try {
        writeFileSync(join(state, 'one'), '');
        expect(await finding('disk space', REQUIRED, state)).toMatchObject({
          ok: false,
          detail: expect.stringMatching(detail) as string,
          fix: expect.stringContaining(fix) as string,
        });
      } finally {
        execFileSync('umount', [state]);
      }
    },
  );

  it('tries the sandbox of agents, and the network in it', { tags: ['sandbox', 'sandbox-network'] }, async () => {
    expect(await finding('sandbox', REQUIRED)).toMatchObject({
      ok: true,
      detail: expect.stringContaining('bwrap') as string,
      fix: null,
    });
    expect(await finding('sandbox network', REQUIRED)).toMatchObject({ ok: true, fix: null });
  });

  it('asks Ollama where it is, and keeps the password of its address to itself', async () => {
    const server = createServer(({ url, headers }, response) => {
      const isLet = headers.authorization === `Basic ${Buffer.from('ana:canary-77').toString('base64')}`;
      response
        .writeHead(isLet && url === '/llm/api/tags' ? 200 : 401)
        .end(JSON.stringify({ models: [{ name: 'qwen3:latest' }] }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const place = `127.0.0.1:${String((server.address() as AddressInfo).port)}/llm`; // a server on TCP
    expect(await finding('ollama', { ...REQUIRED, OLLAMA_HOST: `http://ana:canary-77@${place}` })).toMatchObject({
      ok: true,
      detail: `answers at http://${place}, with the models qwen3:latest`,
    });
    expect(await finding('ollama', { ...REQUIRED, OLLAMA_HOST: 'http://ana:canary-77@127.0.0.1:1' })).toMatchObject({
      ok: false,
      detail: 'does not answer at http://127.0.0.1:1',
    });
  });

  describe("of a server that speaks OpenAI's protocol", () => {
    /** One that wants this key, if any, and has these models; what the doctor says of it. */
    async function told(
      { key = '', models = ['tiny', 'large'], status = 200 }: { key?: string; models?: string[]; status?: number },
      env: Record<string, string> = {},
      config: Pick<Config, 'models'> = {},
    ): Promise<Finding | undefined> {
      const server = createServer(({ url, headers }, response) => {
        const isLet = key === '' || headers.authorization === `Bearer ${key}`;
        response
          .writeHead(url !== '/v1/models' ? 500 : isLet ? status : 401)
          .end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }));
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      onTestFinished(() => void server.close());
      // a server on TCP has such an address
      return endpoint(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1/`, env, config);
    }

    async function endpoint(
      base_url: string,
      env: Record<string, string> = {},
      config: Pick<Config, 'models'> = {},
    ): Promise<Finding | undefined> {
      const root = newFolder();
      const findings = await diagnose(
        { root, stateDir: join(root, '.perdure'), configFile: null },
        { providers: { openai: { base_url, key: '${env.LAB_KEY}' } }, ...config },
        { ...REQUIRED, ...env },
      );
      return findings.find(({ name }) => name === 'openai endpoint');
    }

    it('says that it answers, and with which models', async () => {
      expect(await told({ key: 'canary-77' }, { LAB_KEY: 'canary-77' })).toMatchObject({
        ok: true,
        required: false,
        detail: expect.stringMatching(/^answers at http:\/\/127\.0\.0\.1:\d+\/v1, with tiny, large$/) as string,
        fix: null,
      });
    });

    it.each<[string, Parameters<typeof told>[0], Record<string, string>, RegExp]>([
      ['wants a key that is not set', { key: 'x' }, {}, /wants a key, and LAB_KEY is not set$/],
      ['refuses its key', { key: 'x' }, { LAB_KEY: 'canary-77' }, /refuses the key in LAB_KEY$/],
      ['has no model', { models: [] }, {}, /and has no model$/],
      ['is broken', { status: 500 }, {}, /answers with 500$/],
    ])('says that it %s', async (_what, server, env, detail) => {
      const found = await told(server, env);
      expect(found).toMatchObject({
        ok: false,
        detail: expect.stringMatching(detail) as string,
        fix: expect.any(String) as string,
      });
      expect(JSON.stringify(found)).not.toContain('canary');
    });

    it('says that it lacks a model that the config names', async () => {
      expect(
        await told({}, {}, { models: { default: 'openai:huge', aliases: { fast: 'openai:tiny', other: 'haiku' } } }),
      ).toMatchObject({ ok: false, detail: expect.stringMatching(/; not with huge$/) as string });
    });

    it('takes one that does not list its models as it is', async () => {
      expect(await told({ status: 404 })).toMatchObject({
        ok: true,
        detail: expect.stringContaining('does not say which models it has') as string,
      });
    });

    it('says that it does not answer, and keeps the password of its address to itself', async () => {
      const found = await endpoint('http://ana:canary-77@127.0.0.1:1/v1', { LAB_KEY: 'canary-78' });
      expect(found).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/v1 does not answer/) as string,
      });
      expect(JSON.stringify(found)).not.toContain('canary');
    });

    it('says nothing where none is named', async () => {
      const root = newFolder();
      const findings = await diagnose(
        { root, stateDir: join(root, '.perdure'), configFile: null },
        {},
        { ...REQUIRED, OPENAI_API_KEY: 'test-key' },
      );
      expect(findings.map(({ name }) => name)).not.toContain('openai endpoint');
    });
  });

  it('says whether people can be told, without the address', async () => {
    const root = newFolder();
    const config = { notify: { command: ['./no-such-program'], webhook: '${env.HOOK}' } };
    const named = async (env: Record<string, string | undefined>) =>
      (await diagnose({ root, stateDir: join(root, '.perdure'), configFile: null }, config, env)).filter(({ name }) =>
        name.startsWith('notify'),
      );
    expect(await named(REQUIRED)).toMatchObject([
      { ok: false, required: false, detail: '`./no-such-program` is no program that can be run' },
      {
        ok: false,
        detail: 'HOOK holds no http or https address',
        fix: 'Set HOOK where you run perdure: nobody is told',
      },
    ]);
    const [, webhook] = await named({ ...REQUIRED, HOOK: 'https://hooks.example.org/canary-77' });
    expect(webhook).toEqual({ name: 'notify webhook', ok: true, required: false, detail: 'HOOK is set', fix: null });
  });

  it('says whether what is posted can be signed, and mails be sent, without what variables hold', async () => {
    const root = newFolder();
    const email = {
      server: 'smtps://mail.example.com',
      user: '${env.MAIL_USER}',
      password: '${env.MAIL_PASSWORD}',
      from: 'perdure@example.com',
      to: ['ana@example.com'],
    };
    const notify = { webhook: 'https://hooks.example.org', secret: '${env.HOOK_SECRET}', email };
    const named = async (env: Record<string, string | undefined>) => {
      const all = await diagnose({ root, stateDir: join(root, '.perdure'), configFile: null }, { notify }, env);
      return all.filter(({ name }) => name === 'notify secret' || name === 'notify email');
    };
    expect(await named(REQUIRED)).toMatchObject([
      { ok: false, required: false, detail: 'HOOK_SECRET is not set' },
      { ok: false, required: false, detail: 'MAIL_USER and MAIL_PASSWORD not set' },
    ]);
    const [short] = await named({ ...REQUIRED, HOOK_SECRET: 'whsec_Y2FuYXJ5' });
    expect(short).toMatchObject({ ok: false, detail: 'HOOK_SECRET is no secret of Standard Webhooks' });
    const set = {
      HOOK_SECRET: `whsec_${Buffer.alloc(24, 'canary').toString('base64')}`,
      MAIL_USER: 'canary',
      MAIL_PASSWORD: 'canary',
    };
    const all = await named({ ...REQUIRED, ...set });
    expect(all).toMatchObject([
      { ok: true, detail: 'HOOK_SECRET signs what is posted', fix: null },
      { ok: true, detail: 'smtps://mail.example.com, to ana@example.com; it was not spoken to', fix: null },
    ]);
    expect(JSON.stringify(all)).not.toContain('canary');
  });

  it('finds a state folder that cannot be made', async () => {
    expect(await finding('state folder', REQUIRED, '/proc/1/nothing/.perdure')).toMatchObject({
      ok: false,
      required: true,
    });
  });

  it('shows the host that runs', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    expect((await finding('host', REQUIRED, stateDir)).detail).toContain(`task queue ${link.taskQueue}`);
    await link.close();
  });

  it('every finding that is not right and needed says what to do', async () => {
    const root = newFolder();
    const findings = await diagnose(
      { root, stateDir: join(root, '.perdure'), configFile: null },
      {},
      { PATH: '/nowhere', HOME: '/nonexistent' },
    );
    expect(findings.filter(({ ok, fix }) => !ok && fix === null)).toEqual([]);
  });
});
