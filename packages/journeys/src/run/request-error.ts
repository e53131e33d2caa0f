/** A request that can't be made; the message says what to do. `code` tells what kind of failure the run has. */
export class RequestError extends Error {
  readonly code: "request" | "no-server";

  constructor(message: string, code: "request" | "no-server" = "request") {
    super(message);
    this.code = code;
  }
}
