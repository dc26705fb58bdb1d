import { describe, expect, it } from 'vitest';
import { readSecrets } from '../../../src/activities/tools/defined/secrets.js';
import type { ToolDefinition } from '../../../src/activities/tools/defined/definition.js';
import { filledAddress } from '../../../src/plan/gates/notice.js';
import { filledValues } from '../../../src/plan/tools/mcp-server.js';
import { ownOf } from '../../../src/plan/values/own.js';
import { readKeys } from '../../../src/store/encryption/read-keys.js';

describe.each(['constructor', 'toString', 'valueOf', '__proto__'])('a variable `%s` that is not set', (name) => {
  it('is missing in a header, and nothing is put in', () => {
    const written = { Authorization: `Bearer \${env.${name}}` };
    expect(filledValues(written, {})).toEqual({ missing: name });
    expect(filledValues(written, process.env)).toEqual({ missing: name });
    expect(filledValues(written, Object.fromEntries([[name, 'own']]))).toEqual({
      values: { Authorization: 'Bearer own' },
    });
  });

  it('is no address, no secret and no key', async () => {
    expect(filledAddress(`\${env.${name}}`, {})).toBeNull();
    const tool = { permissions: { secrets: Object.fromEntries([[name, {}]]) } } as unknown as ToolDefinition;
    expect(readSecrets(tool, {}).values.size).toBe(0);
    await expect(readKeys([`\${env.${name}}`], { env: {}, root: '/' })).rejects.toThrow(`\`${name}\``);
    expect(ownOf({}, name)).toBeUndefined();
    expect(ownOf(process.env, name)).toBeUndefined();
  });
});
