import { dirname } from 'node:path';
import type { InitializeParams } from 'vscode-languageserver/node';
import { findProject } from '../../compiler/project/project.js';
import { pathOf } from './documents.js';

/** The folders that are open in the editor. */
export interface Folders {
  add: (uris: string[]) => void;
  remove: (uris: string[]) => void;
  /** Where `perdure validate` would run for a file: the open folder that it is in, else its project's. */
  of: (file: string) => string;
}

/** The folders that an editor names when it begins. */
export function foldersIn({ workspaceFolders, rootUri }: InitializeParams): string[] {
  return workspaceFolders?.map(({ uri }) => uri) ?? (rootUri == null ? [] : [rootUri]);
}

/** No folder is open at first. */
export function createFolders(): Folders {
  const folders = new Set<string>();
  const each = (uris: string[], act: (path: string) => void): void => {
    for (const uri of uris) {
      const path = pathOf(uri)?.replace(/(.)\/+$/, '$1');
      if (path !== undefined) act(path);
    }
  };
  return {
    add: (uris) => each(uris, (path) => folders.add(path)),
    remove: (uris) => each(uris, (path) => folders.delete(path)),
    of(file) {
      const around = [...folders].filter((folder) => file.startsWith(folder === '/' ? folder : `${folder}/`));
      const nearest = around.sort((a, b) => b.length - a.length)[0];
      return nearest ?? findProject(dirname(file)).root;
    },
  };
}
