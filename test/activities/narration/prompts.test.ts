import { join } from 'node:path';
import { it } from 'vitest';
import { PROMPTS_VERSION } from '../../../src/activities/narration/ask-teller.js';
import { narratorQuestion } from '../../../src/activities/narration/narrator.js';
import { teacherQuestion } from '../../../src/activities/narration/teacher.js';
import { expectRecorded } from '../../compiler/helpers/recorded-text.js';
import { happening } from '../../plan/narration/happenings.js';

const SCENE = { goal: 'A clock.', spec: { audience: { ages: [8, 14] } } };
const HAPPENING = happening('completed', { text: 'It ticks.' });

it.each([narratorQuestion(HAPPENING, SCENE, ['Bo begins.']), teacherQuestion(HAPPENING, SCENE, ['testing'])])(
  'the words of the $by are those of their version',
  ({ by, system, prompt, schema }) => {
    expectRecorded(
      join(import.meta.dirname, 'prompts', String(PROMPTS_VERSION), `${by}.txt`),
      `${system}\n\n=== question ===\n\n${prompt}\n\n=== answer ===\n\n${JSON.stringify(schema, null, 2)}\n`,
    );
  },
);
