import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { isTestFile } from '../../src/compiler/problems/source.js';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { jsonSchemaOf, SCHEMA_KINDS } from '../../src/compiler/schemas.js';

const read = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8');

describe('JSON Schemas', () => {
  it.each(SCHEMA_KINDS)('of %s is the one in schemas/ (else run scripts/write-schemas.mjs)', (kind) => {
    expect(read('schemas', `${kind}.schema.json`)).toBe(`${JSON.stringify(jsonSchemaOf(kind), null, 2)}\n`);
  });

  it.each([
    ['workflow', 'workflows'],
    ['agent', 'agents'],
  ] as const)('of %s takes every shipped file', (kind, folder) => {
    const validate = new Ajv({ strict: false }).compile(jsonSchemaOf(kind));
    for (const file of readdirSync(join(packageRoot(), 'definitions', folder)).filter((name) => !isTestFile(name))) {
      expect(
        validate(parseDocument(read('definitions', folder, file)).toJS()),
        `${file}: ${JSON.stringify(validate.errors)}`,
      ).toBe(true);
    }
  });

  it('describe every field', () => {
    const undescribed: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const properties: object =
        'properties' in schema && typeof schema.properties === 'object' && schema.properties !== null
          ? schema.properties
          : {};
      for (const [name, field] of Object.entries(properties))
        if (!('description' in field)) undescribed.push(`${path}.${name}`);
      for (const [key, value] of Object.entries(schema)) walk(value, `${path}.${key}`);
    };
    for (const kind of SCHEMA_KINDS) walk(jsonSchemaOf(kind), kind);
    expect(undescribed).toEqual([]);
  });
});
