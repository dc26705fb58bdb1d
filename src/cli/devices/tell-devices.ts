import type { Invocation } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { formatAge } from '../text/format.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { displayWidth, fit } from '../text/width.js';
import { openExisting, openWorkspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { Holder, ListedDevice } from './list-devices.js';
import { listDevices } from './list-devices.js';

/** `devices list`: what there is, where it is, who has it and who waits. */
export async function tellDevices({ options, terminal }: Pick<Invocation, 'options' | 'terminal'>): Promise<ExitCode> {
  const workspace = await openWorkspace(terminal);
  const { devices, serverIsDown } = await listDevices(workspace, await openExisting(terminal, { taskQueue: null }));
  if (options.flag('json')) printJson(terminal, devices);
  else if (devices.length === 0)
    print(terminal, 'No devices. Name one in perdure.yml: `devices: {uno: {kind: avr-arduino, port: /dev/ttyACM0}}`');
  else print(terminal, ...renderDevices(devices, terminal));
  if (serverIsDown) tell(terminal, 'The server is not running, so who holds a device or waits for one is not known.');
  return EXIT.success;
}

function renderDevices(devices: ListedDevice[], { resultPalette: { tone, dim } }: Terminal): string[] {
  const widths = [devices.map(({ name }) => name), devices.map(kindOf), devices.map(portOf)].map((cells) =>
    Math.max(...cells.map((cell) => displayWidth(safeName(cell)))),
  );
  return devices.flatMap((device) => {
    const cells = [device.name, kindOf(device), portOf(device)].map((cell, column) =>
      fit(safeName(cell), widths[column] ?? 0),
    );
    const mark =
      device.found === true ? tone('good', '✓') : device.found === false ? tone('bad', '✗') : tone('quiet', '·');
    const details = [device.problem, ...useOf(device)].filter((line) => line !== null);
    return [
      `${mark} ${cells.join('  ')}  ${stateOf(device)}`.trimEnd(),
      ...details.map((line) => `    ${dim(safeLine(line))}`),
    ];
  });
}

function kindOf({ kind, board }: ListedDevice): string {
  return board === null ? kind : `${kind} ${board}`;
}

function portOf({ port }: ListedDevice): string {
  return port ?? '–';
}

function stateOf({ found, holder, kept_by, task_queue, served, waiting }: ListedDevice): string {
  if (holder !== null || kept_by !== null) return waiting.length === 0 ? 'in use' : `in use, ${waiting.length} waiting`;
  if (task_queue !== null && served === false) return `no worker of ${task_queue} answers`;
  const state = found === null ? '' : found ? 'free' : 'not found';
  return [state, ...(task_queue === null ? [] : [`on the host of ${task_queue}`])]
    .filter((part) => part !== '')
    .join(', ');
}

function useOf({ holder, kept_by, waiting }: ListedDevice): string[] {
  const at = ({ run, path, since }: Holder): string => `${run}/${path}, ${formatAge(since, Date.now())}`;
  return [
    ...(holder === null ? [] : [`held by ${at(holder)}`]),
    ...(kept_by === null ? [] : [`kept for later steps of ${kept_by}`]),
    ...waiting.map((one, index) => `${index + 1}. waits: ${at(one)}`),
  ];
}
