/**
 * The version of what the scan contract means. Raise it when a body that was accepted would be understood
 * differently from now on, or its content would get another snapshot id: receipts of another version are not used.
 */
export const CONTRACT_VERSION = 2;
