// One of several who answer gates at once, in a process of its own: `{address, by, gates: [{run, gate, hash}]}` as its
// argument, in their order. Prints how many it decided and how many were refused.
import { randomUUID } from 'node:crypto';
import { Client, Connection, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';

/** gRPC: failed precondition. */
const NOT_READY = 9;
const { address, by, gates } = JSON.parse(process.argv[2]);
const connection = await Connection.connect({ address });
const client = new Client({ connection });
const send = ({ run, gate, hash }, updateId) =>
  client.workflow.getHandle(run).executeUpdate('decide', { args: [{ gate, decision: 'approve', hash, by }], updateId });
/** As the CLI does: an update that a failing workflow task took along is sent again. */
const sendAgain = (one) => {
  const id = randomUUID();
  return send(one, id).catch((error) => {
    if ((error.cause?.code ?? error.code) !== NOT_READY) throw error;
    return send(one, id);
  });
};
const decide = (one) =>
  sendAgain(one).then(
    () => 'decided',
    (error) => {
      // Whose run has ended is decided as well.
      if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError) return 'refused';
      throw error;
    },
  );
const ends = await Promise.all(gates.map(decide));
await connection.close();
console.log(
  JSON.stringify({
    decided: ends.filter((end) => end === 'decided').length,
    refused: ends.filter((end) => end === 'refused').length,
  }),
);
