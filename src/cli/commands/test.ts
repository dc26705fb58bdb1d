import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { actingName } from '../terminal.js';

export const test: CommandSpec = {
  name: 'test',
  summary: 'run definitions against recorded answers and stubs',
  arguments: [{ syntax: '<path...>', about: 'recordings, `*.test.yml` and `*.flow.test` files, or folders of them' }],
  options: [
    { flags: '--external', about: 'also do steps whose effect is external' },
    { flags: '--junit <file>', about: "write a report in JUnit's form, with a case for each file" },
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: ['perdure test definitions', 'perdure test recordings --junit tests.xml', 'perdure test tour.yml --json'],
  async run({ arguments: paths, options, terminal }) {
    const { testRecordings } = await import('../testing/test-recordings.js');
    return testRecordings(
      {
        paths,
        external: options.flag('external'),
        by: actingName(options.text('as')),
        json: options.flag('json'),
        junit: options.text('junit'),
      },
      terminal,
    );
  },
};
