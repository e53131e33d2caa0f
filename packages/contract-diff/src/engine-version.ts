/**
 * The version of the rules. It rises when other verdicts come of the same descriptions: then workers compare again what older rules judged,
 * and until then readers learn which version did.
 */
export const ENGINE_VERSION = 1;
