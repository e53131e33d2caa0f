/** An address that can't be used. Its message follows the name of a variable, and contains no part of a password. */
export class DatabaseAddressError extends Error {}
