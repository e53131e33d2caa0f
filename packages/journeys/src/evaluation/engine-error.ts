/** Why an engine can't apply what a document gave it; the message completes "the pattern …". */
export class EngineError extends Error {}

/** An evaluation that was ended by a limit. What it would have come to is not known. */
export class EvaluationLimit extends EngineError {}
