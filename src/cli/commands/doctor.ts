import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Finding } from '../../workers/doctor/finding.js';
import type { Lacking } from '../observe/lacking-workers.js';
import type { Session } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';
import { shellCommand, shellWord } from '../../plan/text/shell-command.js';

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
  const look = async (): Promise<Finding[]> => {
    const session = await openExisting(terminal, { taskQueue: null });
    if (session === null) return [];
    const ofRuns = [...(await listLacking(session))].map(([run, lacking]) =>
      lackingWorker(`\`${safeName(run)}\` ${lacking.waits.join(', and ')}`, fixFor(run, lacking)),
    );
    return [...(await versionFindings(session)), ...ofRuns];
  };
  return look().catch(() => []); // the findings say why
}

function lackingWorker(detail: string, fix: string): Finding {
  return { name: 'workers', ok: false, required: false, detail, fix };
}

function fixFor(run: string, { version, isLost }: Lacking): string {
  const labels = isLost ? [] : ['--labels <labels>'];
  if (version === null) return `Start one that has it: ${shellCommand('perdure worker', [], labels.join(''))}`;
  const worker = shellCommand('perdure worker', [], [`--deployment ${shellWord(version)}`, ...labels].join(' '));
  return `Start one: ${worker}; or: ${shellCommand('perdure deployment move', [safeName(run)])}`;
}

/** The versions of workers, where they have any, and whether the one that takes new runs has a worker. */
async function versionFindings(session: Session): Promise<Finding[]> {
  if (!session.mayKnowRuns()) return [];
  const { versionsOf } = await import('../observe/versions.js');
  const link = await session.connect({ start: false });
  try {
    const versions = await versionsOf(link, session.store);
    const detail = versions
      .map(({ version, status, workers }) => `${version} ${status} (${String(workers)})`)
      .join(', ');
    const lost = versions.find(({ status, workers }) => status === 'current' && workers === 0)?.version;
    if (versions.length === 0) return [];
    const about = { name: 'versions', required: false, detail: `${detail}; in brackets how many workers` };
    return [
      lost === undefined
        ? { ...about, ok: true, fix: null }
        : {
            ...about,
            ok: false,
            fix:
              `New runs wait for ${lost}: ${shellCommand('perdure worker', [], `--deployment ${shellWord(lost)}`)}; ` +
              `or: perdure deployment use NAME:BUILD`,
          },
    ];
  } finally {
    await link.close();
  }
}
