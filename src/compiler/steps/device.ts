import type { DeviceRef } from '../../plan/devices/device.js';
import type { Template } from '../../plan/values/expression.js';
import type { CompileStep, FlashStep, SerialStep } from '../../plan/step.js';
import { millisecondsOf } from '../formats/values.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, startOf } from '../text/node.js';
import { compileTemplate } from '../expressions/template.js';
import type { Authored, Policy, StepContext } from './base.js';
import { baseOf, DEFAULT_TRY_MS, policyOf, templateAt, usualPolicy } from './base.js';

/** A flash of some kilobytes takes seconds; a board that hangs is given up after this, and tried three times more. */
const FLASH_MS = 60_000;
const FLASH: Policy = { timeout_ms: FLASH_MS, retry: { attempts: 4, backoff_ms: 1_000 }, effect: 'external' };
const LISTEN_MS = 10_000;
/** What finding, locking and opening a port may take beside listening. */
const OPENING_MS = 60_000;

/** Sources to an image. */
export function compileImageStep(authored: Authored<'compile'>, context: StepContext): CompileStep | null {
  const inside = insideOf('compile', context);
  const device = deviceOf(authored.compile.device, inside, context);
  const sources = (memberOf(inside, 'sources')?.items ?? []).map((item) => compileTemplate(item, context.templates));
  const step = {
    kind: 'compile',
    ...baseOf(authored, context),
    ...policyOf(authored, usualPolicy(1, DEFAULT_TRY_MS), context),
    sources,
  } as const;
  return device && { ...step, device };
}

/** An image to a device. */
export function compileFlashStep(authored: Authored<'flash'>, context: StepContext): FlashStep | null {
  const { flash } = authored;
  const inside = insideOf('flash', context);
  const device = deviceOf(flash.device, inside, context);
  const content = contentOf(inside, context);
  const bootNode = memberOf(inside, 'boot');
  const expect = bootNode && templateIn(bootNode, 'expect', context);
  const boot = expect && {
    expect,
    timeout_ms: flash.boot?.timeout === undefined ? LISTEN_MS : millisecondsOf(flash.boot.timeout),
  };
  const step = {
    kind: 'flash',
    ...baseOf(authored, context),
    ...policyOf(authored, FLASH, context),
    ready: templateIn(inside, 'ready', context),
    boot,
    fallback: flash.fallback ?? 'abort',
  } as const;
  return device && content && { ...step, device, ...content };
}

/** What is to be written: an image, or several, and files; null where that is not said, which is reported. */
function contentOf(inside: Node, context: StepContext): Pick<FlashStep, 'image' | 'files'> | null {
  const [image, images, files] = ['image', 'images', 'files'].map((key) => templateIn(inside, key, context));
  if (image && images) {
    context.report({
      code: 'conflicting-keys',
      at: keyOf(inside, 'images'),
      message: '`image` and `images` both say what is written.',
      suggestion: 'keep one of them',
    });
    return null;
  }
  if (image || images || files) return { image: image ?? images ?? null, files: files ?? null };
  // Where a key of it is wrong, that was said.
  if (!context.faulty.has('flash'))
    context.report({
      code: 'missing-key',
      at: startOf(inside),
      message: 'Expected `image`, `images` or `files`: what is written.',
    });
  return null;
}

/** What a device says. Sending something to it changes it; listening does not. */
export function compileSerialStep(authored: Authored<'serial'>, context: StepContext): SerialStep | null {
  const { serial } = authored;
  const inside = insideOf('serial', context);
  const device = deviceOf(serial.device, inside, context);
  const listen_ms = serial.timeout === undefined ? LISTEN_MS : millisecondsOf(serial.timeout);
  const policy: Policy = {
    ...usualPolicy(1, listen_ms + OPENING_MS),
    effect: serial.write === undefined ? 'none' : 'external',
  };
  const step = {
    kind: 'serial',
    ...baseOf(authored, context),
    ...policyOf(authored, policy, context),
    expect: templateIn(inside, 'expect', context),
    write: templateIn(inside, 'write', context),
    after: templateIn(inside, 'after', context),
    listen_ms,
    capture: serial.capture ?? 'all',
    rehearsal: templateAt('rehearsal', context),
  } as const;
  return device && { ...step, device };
}

function insideOf(key: string, { node }: StepContext): Node {
  return memberOf(node, key) ?? node;
}

function deviceOf(name: string, inside: Node, { findDevice }: StepContext): DeviceRef | null {
  return findDevice(name, memberOf(inside, 'device') ?? inside);
}

function templateIn(inside: Node, key: string, { templates }: StepContext): Template | null {
  const member = memberOf(inside, key);
  return member && compileTemplate(member, templates);
}
