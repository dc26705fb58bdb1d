import { rm } from 'node:fs/promises';
import type { Device, DeviceRef } from '../../plan/devices/device.js';
import type { Store } from '../../store/store.js';
import type { DeviceCall, StepCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import type { HomeStore } from '../far-store/home-store.js';
import type { PortSetting } from './port/open-port.js';
import { makeTemporary } from '../../store/folders/temporary.js';

/** The device that a step names, as the compiler wrote it. */
export async function loadDevice(store: Store, { spec }: DeviceRef): Promise<Device> {
  return JSON.parse(await store.getText(spec)) as Device; // a text of the Plan, under its hash
}

/** What opens a port on behalf of a step: the store of its leases, and the program that holds the port. */
export function portSetting({ store, boardProgram, deviceFolders }: Dependencies, call: StepCall): PortSetting {
  return {
    store,
    run: call.root.run,
    boardProgram: boardProgram ?? null,
    ...(deviceFolders === undefined ? {} : { folders: deviceFolders }),
  };
}

/**
 * Has tools run in the run's own folder; where that is on another host, in an empty one of their own that is removed
 * after. Tools take settings from where they run (`esptool.cfg`): in a folder that all users write to, anybody's.
 */
export async function inWorkspace<R>(
  store: Pick<HomeStore, 'isElsewhere'>,
  { workspace }: Pick<DeviceCall, 'workspace'>,
  act: (folder: string) => Promise<R>,
): Promise<R> {
  if (!(await store.isElsewhere())) return act(workspace);
  const folder = await makeTemporary('tools');
  try {
    return await act(folder);
  } finally {
    // what a tool has left says nothing of its work
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
