/**
 * What a map has under a name that a file, a person or a model wrote: nothing of what every object inherits, such as
 * `constructor` and `toString`.
 */
export function ownOf<T>(map: Readonly<Record<string, T>> | undefined, name: string | undefined): T | undefined {
  return map !== undefined && name !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
