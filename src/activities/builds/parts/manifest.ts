/** Part 5: which files there are, as the step with this id found them; a template. None where nobody looked. */
export function manifestPart(gathered: string | null): string | null {
  if (gathered === null) return null;
  return (
    '## FILES\n\nWhat was there when your task began, the newest files with what is in them. Look for yourself where ' +
    `it matters.\n\n<files>\n\${steps.${gathered}.output.files ?? "Nobody has looked."}\n</files>`
  );
}
