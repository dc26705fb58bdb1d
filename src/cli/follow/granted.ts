import { pathBelow, rootOf } from '../observe/view/view.js';
import { readGrant, tokenIn } from '../../activities/gates/grant.js';
import type { CliError } from '../exit-codes.js';
import { refusal } from '../exit-codes.js';
import type { DecideCommand } from './decide-gate.js';

/**
 * The same command by a grant, which says who decides what: the run itself checks it, so that no key is needed here.
 * Where a text is none, or is for another gate than was named, that is kept with the named one; a refusal is thrown
 * where none is.
 */
export function withGrant(typed: string, command: DecideCommand): DecideCommand {
  const token = tokenIn(typed);
  const grant = readGrant(token);
  const { address, says } = command;
  const wrong = (why: CliError): DecideCommand => {
    if (address === '') throw why;
    return { ...command, granted: why, says: { ...says, grant: token } };
  };
  if (grant === null)
    return wrong(
      refusal('What was given is no token of `perdure grant`.', 'Copy all of it: two parts with a dot between.'),
    );
  const granted = `${rootOf(grant.run)}/${grant.gate}`;
  if (address !== '' && address !== granted && (pathBelow(address) !== '' || address !== rootOf(granted)))
    return wrong(refusal(`The token is for the gate \`${granted}\`, not for \`${address}\`.`));
  return { ...command, address: granted, granted: grant.hash, says: { ...says, by: grant.to, grant: token } };
}
