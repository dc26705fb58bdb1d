/**
 * The header of each request that a tool makes for an agent or a step, which nobody who asks for one can leave out. By
 * it what listens for people (Temporal's UI, the pages, codec endpoints, webhooks) knows, at whatever address it is
 * reached, that no person asks: an agent could decide its own gate there.
 */
export const TOOL_HEADER = 'x-perdure-tool';

/** What a tool is told where only people are served. */
export const NOT_FOR_TOOLS = 'Requests of tools are not served here: this is for people.';
