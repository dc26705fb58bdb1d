import { expect, it, onTestFinished } from 'vitest';
import { setUpServer } from '../../../src/workers/connection/setup-server.js';
import { startTemporal } from '../../workflows/helpers/temporal-server.js';

/** `INDEXED_VALUE_TYPE_KEYWORD` of Temporal's API. */
const KEYWORD = 2;

it('says who is to act where a namespace has no room for search attributes, and makes them where it has', async () => {
  const server = await startTemporal();
  onTestFinished(() => server.close());
  const { operatorService } = server.client.connection;
  const namespace = 'default';
  const others = Array.from({ length: 8 }, (_, index) => `Others${index}`);
  const searchAttributes = Object.fromEntries(others.map((name) => [name, KEYWORD]));
  await operatorService.addSearchAttributes({ namespace, searchAttributes });
  const settings = { connection: { address: server.address }, address: server.address, namespace, source: 'a test' };
  await expect(setUpServer(settings, 1)).rejects.toMatchObject({
    name: 'UnavailableError',
    message: expect.stringMatching(/^The Temporal server does not make search attributes .*cannot have more than 10/),
    hint: expect.stringContaining('PerdureDefinition'),
  });
  await operatorService.removeSearchAttributes({ namespace, searchAttributes: others });
  await expect(setUpServer(settings, 1)).resolves.toMatchObject({ namespace: false });
});
