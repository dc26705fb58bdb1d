import { expect, it } from 'vitest';
import { reach } from '../../../src/workers/connection/connect.js';

it('an address whose port there cannot be is told as what it is, before anybody is asked', async () => {
  const address = '127.0.0.1:99999';
  const settings = { address, namespace: 'default', connection: { address }, source: 'TEMPORAL_ADDRESS' };
  await expect(reach(settings)).rejects.toMatchObject({
    name: 'UnavailableError',
    message: expect.stringMatching(/a port up to 65535, got `127\.0\.0\.1:99999`/) as string,
  });
});
