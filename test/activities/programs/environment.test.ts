import { expect, it, onTestFinished, vi } from 'vitest';
import { programEnvironment } from '../../../src/activities/programs/environment.js';

it('takes keys, and the passwords of addresses, out of what a program shows', () => {
  vi.stubEnv('https_proxy', 'http://ana:pr0xy%2Fpass@proxy.example:3128');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { redact } = programEnvironment(
    { credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'], homes: [] },
    { OPENAI_API_KEY: 'sk-123456789', OPENAI_BASE_URL: 'https://ana:s3cret-word@gpu.example/v1' },
  );
  expect(redact('sk-123456789 s3cret-word pr0xy%2Fpass pr0xy/pass gpu.example')).toBe('… … … … gpu.example');
});
