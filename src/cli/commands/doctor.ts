import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Finding } from '../../workers/doctor/finding.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';

export const doctor: CommandSpec = {
  name: 'doctor',
  summary: 'say what is missing on this machine, and how to get it',
  arguments: [],
  options: [JSON_OPTION],
  examples: ['perdure doctor'],
  async run({ options, terminal }) {
    const { openWorkspace } = await import('../session.js');
    const { diagnose } = await import('../../workers/doctor/doctor.js');
    const { fit } = await import('../text/width.js');
    const { project, config } = await openWorkspace(terminal);
    const findings = [...(await diagnose(project, config, terminal.env)), ...(await lackingWorkers(terminal))];
    const ok = findings.every((finding) => finding.ok || !finding.required);
    if (options.flag('json')) printJson(terminal, { ok, findings });
    else {
      const { tone, dim } = terminal.resultPalette;
      const names = Math.max(...findings.map(({ name }) => name.length));
      for (const finding of findings) {
        const mark = finding.ok ? tone('good', '✓') : finding.required ? tone('bad', '✗') : tone('quiet', '–');
        print(terminal, `${mark} ${fit(finding.name, names)}  ${safeLine(finding.detail)}`);
        if (finding.fix !== null) print(terminal, `  ${' '.repeat(names)}  ${dim(safeLine(finding.fix))}`);
      }
      print(terminal, '', ok ? 'Everything that is needed is there.' : 'Something that is needed is missing (✗).');
    }
    return ok ? EXIT.success : EXIT.unavailable;
  },
};

/** Runs that wait for workers which are not there; nothing where nobody can be asked. */
async function lackingWorkers(terminal: Terminal): Promise<Finding[]> {
  const { openExisting } = await import('../session.js');
  const { listLacking } = await import('../observe/list-runs.js');
  const look = async (): Promise<Map<string, string[]>> => {
    const session = await openExisting(terminal, { taskQueue: null });
    return session === null ? new Map<string, string[]>() : listLacking(session);
  };
  const lacking = await look().catch(() => new Map<string, string[]>()); // the findings say why
  return [...lacking].map(([run, waits]) => ({
    name: 'workers',
    ok: false,
    required: false,
    detail: `\`${safeName(run)}\` ${waits.join(', and ')}`,
    fix: 'Start one that has it: perdure worker --labels <labels>',
  }));
}
