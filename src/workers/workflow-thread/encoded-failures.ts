import type { ProtoFailure } from '@temporalio/common';
import { DefaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';

type Completion = Awaited<ReturnType<Workflow['activate']>>;

/**
 * Has messages and stacks of failures go through the codecs of a worker that has some: they become a payload (the SDK's
 * `encodeCommonAttributes`). For activities the worker's own converter does it. For workflow code it would be a part of
 * the bundle, which is the same with and without codecs, so it is done to what comes out of the sandbox.
 */
export function encodeFailures(creator: WorkflowCreator, options: CompiledWorkerOptions): WorkflowCreator {
  const converter = options.loadedDataConverter;
  if (converter.payloadCodecs.length === 0) return creator;
  Object.assign(converter, { failureConverter: new DefaultFailureConverter({ encodeCommonAttributes: true }) });
  return {
    createWorkflow: async (about) => encoding(await creator.createWorkflow(about)),
    destroy: () => creator.destroy(),
  };
}

function encoding(workflow: Workflow): Workflow {
  return {
    activate: async (activation) => withEncoded(await workflow.activate(activation)),
    getAndResetSinkCalls: () => workflow.getAndResetSinkCalls(),
    dispose: () => workflow.dispose(),
  };
}

function withEncoded(completion: Completion): Completion {
  encode(completion.failed?.failure);
  for (const { failWorkflowExecution, respondToQuery, updateResponse } of completion.successful?.commands ?? []) {
    encode(failWorkflowExecution?.failure);
    encode(respondToQuery?.failed);
    encode(updateResponse?.rejected);
  }
  return completion;
}

/** One that came into the sandbox encoded has its payload still. */
function encode(failure: ProtoFailure | null | undefined): void {
  if (!failure) return;
  const { message, stackTrace } = failure;
  failure.encodedAttributes ??= defaultPayloadConverter.toPayload({ message, stack_trace: stackTrace });
  failure.message = 'Encoded failure';
  failure.stackTrace = '';
  encode(failure.cause);
}
