// Prints a commit message with its subject in form: one line, no code fence around it, no full stop.
const [message = ''] = process.argv.slice(2);
const lines = message
  .replace(/^```\w*\n|\n```\s*$/g, '')
  .trim()
  .split('\n');
const subject = (lines[0] ?? '').trim().replace(/\.$/, '');
if (subject === '') {
  process.stderr.write('The message has no subject.\n');
  process.exit(1);
}
const body = lines.slice(1).join('\n').trim();
process.stdout.write(body === '' ? `${subject}\n` : `${subject}\n\n${body}\n`);
