/** Why an engine can't apply what a document gave it; the message completes "the pattern …". */
export class EngineError extends Error {}

/** A limit ended the evaluation, so its result is unknown. */
export class EvaluationLimit extends EngineError {}
