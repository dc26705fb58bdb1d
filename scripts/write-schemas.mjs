// Writes `schemas/<kind>.schema.json` from the schemas that validate. Run after `npm run build`; a test finds drift.
import { mkdirSync, writeFileSync } from 'node:fs';
import { jsonSchemaOf, SCHEMA_KINDS } from '../dist/compiler/schemas.js';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const kind of SCHEMA_KINDS) {
  writeFileSync(new URL(`${kind}.schema.json`, folder), `${JSON.stringify(jsonSchemaOf(kind), null, 2)}\n`);
}
