import { join } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { fileName, writeAtomically } from '../files.js';
import { makeFolders } from '../folders/root.js';
import { StoreFailure, errorCode, storeFailure } from '../store-failure.js';
import { readText } from '../read-regular.js';

export interface DeviceFiles {
  readDevice(name: string): Promise<Json>;
  writeDevice(name: string, record: Json): Promise<void>;
  deviceMemory(name: string): Promise<string>;
}

/** What is kept about devices: `<folder>/<name>.json`, and the memory of simulated ones, `<folder>/<name>.flash`. */
export function createDeviceFiles(folder: string): DeviceFiles {
  const pathOf = (name: string, extension: string): string => join(folder, `${fileName(name)}${extension}`);
  return {
    async readDevice(name) {
      const path = pathOf(name, '.json');
      try {
        return JSON.parse(await readText(path)) as Json; // `JSON.parse` makes nothing else.
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        if (error instanceof SyntaxError)
          throw new StoreFailure(
            'store-missing',
            `The record of the device \`${name}\` is corrupt: the file \`${path}\` is not JSON.`,
            { cause: error },
          );
        throw storeFailure(error, 'read', path);
      }
    },
    writeDevice: (name, record) => writeAtomically(pathOf(name, '.json'), JSON.stringify(record)),
    async deviceMemory(name) {
      makeFolders(folder);
      return pathOf(name, '.flash');
    },
  };
}
