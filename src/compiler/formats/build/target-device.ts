import { z } from 'zod';
import type { Node } from '../../text/node.js';
import { memberOf } from '../../text/node.js';
import { placedImage } from '../step.js';
import { filledText, id } from '../values.js';
import { map, projectFile } from './values.js';

const files = z.array(projectFile, { error: 'a list of files' }).min(1, { error: 'at least one file' });

/** A board that the result runs on. Other keys are what the tool that drew the spec knows; agents are told them. */
export const targetDevice = z.looseObject(
  {
    name: id.optional().describe('Its name under `devices` of perdure.yml; `instanceId` when left out.'),
    instanceId: filledText.optional().describe('Its name, as block editors write it.'),
    sources: files.optional().describe('What its kind compiles; `<name>/<name>.ino` when nothing is said.'),
    compile: z
      .array(filledText, { error: 'a list of texts' })
      .min(1, { error: 'a list with a program' })
      .optional()
      .describe('A command that makes the image, in the sandbox, in place of its kind’s compiler.'),
    image: projectFile.optional().describe('The image, where it is there already or `compile` makes it.'),
    images: z
      .array(placedImage.extend({ image: projectFile.describe('A file of the project.') }), {
        error: 'a list of maps with offset and image',
      })
      .min(1, { error: 'at least one image' })
      .optional()
      .describe('Several of them, each with its place: `[{offset: bootloader, image: boot.bin}]`.'),
    files: files.optional().describe("Files for the board's own file system."),
    expect: filledText.optional().describe('What it must say on its serial line once it is flashed.'),
  },
  map('a device with its name'),
);

/** Where a device of a spec says what it is called; null for one without a name. */
export function deviceNameNode(device: Node): Node | null {
  return memberOf(device, 'name') ?? memberOf(device, 'instanceId');
}
