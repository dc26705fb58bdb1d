import { z } from 'zod';
import { LEVELS } from '../../../plan/builds/build-spec.js';
import { CARRY_MB_TEXT, anyJson, apart, carryMb, inProject } from '../values.js';
import { between, filledUpTo, flag, list, map, oneOf, projectFile, textUpTo } from './values.js';

const command = list(filledUpTo(2_000), 100, 'words')
  .min(1, { error: 'a list of words' })
  .superRefine(([program = ''], context) => {
    if (!/\s/.test(program.trim())) return;
    const message = 'one program, and its words after it, such as [npm, test]';
    context.addIssue({ code: 'custom', path: [0], message });
  });
const hint = z.union([filledUpTo(500), z.record(z.string(), anyJson)], { error: 'a text, or a map: a hint' });

const behavioralTest = z.strictObject(
  {
    id: textUpTo(200).optional().describe('Its id.'),
    when: filledUpTo(500).describe('What happens.'),
    then: filledUpTo(500).describe('What must follow.'),
    requirement_id: textUpTo(200).optional().describe('The requirement that it shows.'),
  },
  map('a test with when and then'),
);

const feedbackLoop = z.strictObject(
  {
    id: textUpTo(200).optional().describe('Its id.'),
    trigger: oneOf(['test_failure', 'review_rejection', 'custom']).describe('What sends work back.'),
    exit_condition: textUpTo(500).optional().describe('Until when; told to agents.'),
    max_iterations: between(1, 10).optional().describe('How often at most.'),
    connects_from: textUpTo(200).optional().describe('From where; told to the planner.'),
    connects_to: textUpTo(200).optional().describe('To where; told to the planner.'),
  },
  map('a feedback loop with trigger and max_iterations'),
);

/** `workflow:`, how the build goes. */
export const flow = z.strictObject(
  {
    review_enabled: flag.optional().describe('Whether results are reviewed; so when there is a reviewer.'),
    testing_enabled: flag.optional().describe('Whether results are tested; so unless the spec says no.'),
    test_command: command.optional().describe('The command that runs the tests, word by word, such as [npm, test].'),
    start_command: command.optional().describe('The command that starts the result, word by word.'),
    page: projectFile.optional().describe('The page that a browser opens, where the result has no command.'),
    approve_plan: flag.optional().describe('Whether a person approves the tasks before they begin; so unless false.'),
    max_rounds: between(0, 10)
      .optional()
      .describe(
        'How often what was found is mended before a person is asked; else `builds.max_rounds` of perdure.yml, else 2.',
      ),
    carry: apart(list(inProject, 20, 'folders'))
      .optional()
      .describe('Folders that git ignores and that the work needs; [node_modules] when left out.'),
    carry_mb: carryMb.optional().describe(CARRY_MB_TEXT),
    human_gates: list(textUpTo(200), 10, 'gates')
      .optional()
      .describe('Where there is one, a person is asked once, when half of the tasks are done.'),
    flow_hints: list(hint, 50, 'hints')
      .optional()
      .describe('Which tasks follow each other, or go side by side; told to the planner.'),
    iteration_conditions: list(hint, 20, 'conditions')
      .optional()
      .describe('Until when something is repeated; told to the planner.'),
    behavioral_tests: list(behavioralTest, 20, 'tests').optional().describe('What must follow when something happens.'),
    feedback_loops: list(feedbackLoop, 10, 'feedback loops')
      .optional()
      .describe('What goes back after a failed test or a rejected review, and how often.'),
    system_level: oneOf(LEVELS).optional().describe('How much structure the result shows.'),
  },
  map('how the build goes'),
);
