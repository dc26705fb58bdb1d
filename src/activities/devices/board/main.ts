import { isSimulatedChip } from '../../../plan/devices/device.js';
import { startBoard } from './board.js';
import { chipOf } from './chips.js';
import { parseFault } from './chip/faults.js';
import { openTerminalTo } from './terminal.js';

/*
 * A simulated board in a process of its own: `main.js <memory file> <port> [fault [chip]]`. Prints where it is, as
 * `net:127.0.0.1:<port>` or the path of a terminal, and ends when its standard input does, so that it never outlives
 * whoever started it.
 */
const [memoryFile = '', port = '0', fault = '', name = 'atmega328p'] = process.argv.slice(2);
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
if (!isSimulatedChip(name)) throw new Error(`Expected a chip that can be simulated, got \`${name}\`.`);
const board = await startBoard({
  port: Number(port),
  memoryFile: memoryFile === '' ? null : memoryFile,
  fault: parseFault(fault),
  chip: chipOf(name),
});
// avrdude takes a port of TCP; esptool and mpremote want a terminal.
const where =
  name === 'atmega328p' || memoryFile === ''
    ? `net:127.0.0.1:${board.port}`
    : (await openTerminalTo(board.port, `${memoryFile}.tty`)).path;
process.stdout.write(`${where}\n`);
