import { describe, expect, it } from 'vitest';
import { portsIn, serverArguments, uiAddressIn } from '../../../src/workers/server/server-command.js';

const PORTS = { grpc: 7233, ui: 8233, codec: 40001 };
const DB = '/home/me/my project/.perdure/temporal.db';
const ARGV = ['/opt/temporal', ...serverArguments(DB, PORTS, '127.1.2.3')];

describe('the command line of a server', () => {
  it('says which ports and which database it serves', () => {
    expect(portsIn(ARGV, DB)).toEqual(PORTS);
    expect(uiAddressIn(ARGV)).toBe('127.1.2.3');
    // One that an older version started.
    expect(uiAddressIn(ARGV.filter((word) => word !== '--ui-ip'))).toBe('127.0.0.1');
  });

  it('is read also where the system does not keep arguments apart', () => {
    expect(portsIn(ARGV.join(' ').split(' '), DB)).toEqual(PORTS);
  });

  it.each([
    ['another database', ARGV, '/home/you/.perdure/temporal.db'],
    ['a database whose path begins alike', ['/opt/temporal', ...serverArguments(`${DB}.old`, PORTS, '127.1.2.3')], DB],
    ['an editor that has the file open', ['vim', DB], DB],
    ['a server whose ports cannot be read', ARGV.filter((word) => word !== '--port'), DB],
    ['no arguments', [], DB],
  ])('%s is not taken for ours', (_, argv, database) => {
    expect(portsIn(argv, database)).toBeNull();
  });

  it('listens on loopback only, and syncs every step', () => {
    const line = ARGV.join(' ');
    expect(line).toContain('--ip 127.0.0.1');
    expect(line).toContain('--sqlite-pragma journal_mode=wal --sqlite-pragma synchronous=full');
    expect(line).toContain('--ui-codec-endpoint http://127.0.0.1:40001');
    expect(line).toContain('--search-attribute PerdureRoot=Keyword');
  });
});
