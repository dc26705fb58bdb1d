import { startBoard } from './board.js';
import { parseFault } from './faults.js';

/*
 * A simulated board in a process of its own: `main.js <memory file> <port> [fault]`. Prints its port, and ends when its
 * standard input does, so that it never outlives whoever started it.
 */
const [memoryFile = '', port = '0', fault = ''] = process.argv.slice(2);
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
const board = await startBoard({
  port: Number(port),
  memoryFile: memoryFile === '' ? null : memoryFile,
  fault: parseFault(fault),
});
process.stdout.write(`${board.port}\n`);
