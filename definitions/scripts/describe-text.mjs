// Prints one line about a text: its sentiment, and how long it takes to read at 200 words a minute.
const [sentiment, words] = process.argv.slice(2);
if (words === undefined) {
  process.stderr.write('usage: describe-text.mjs SENTIMENT WORDS\n');
  process.exit(1);
}
const minutes = Math.max(1, Math.ceil(Number(words) / 200));
process.stdout.write(`${sentiment}, ${words} words, ${minutes} min to read\n`);
