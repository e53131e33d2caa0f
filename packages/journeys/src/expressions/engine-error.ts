/** Why an engine can't apply what a document gave it; the message completes "the pattern …". */
export class EngineError extends Error {}

/** A limit ended the evaluation, so its result is unknown. */
export class EvaluationLimit extends EngineError {}

/** An argument of a function has no value. A condition takes it for a missing value. */
export class MissingArgument extends EvaluationLimit {}
