import { createSandbox } from "@waymark/journey-sandbox/create-sandbox.ts";

/** One for the whole command. Its process starts when a journey needs it, and ends with the command. */
export const sandbox = createSandbox();
