/**
 * The version of the scan contract's meaning. Increase it if an accepted body would be interpreted differently, or its
 * content would get another snapshot id. Known bodies of another version are not reused.
 */
export const CONTRACT_VERSION = 2;
