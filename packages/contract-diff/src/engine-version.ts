/** Rises when other verdicts come of the same descriptions, so that stored ones tell which rules they are of. */
export const ENGINE_VERSION = 1;
