/** The checkpoint is invalid or belongs to another artifact; the message says which. */
export class CheckpointError extends Error {}
