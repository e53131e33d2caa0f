/** The request can't be built; the message says what to do. `code` is the kind of the run's failure. */
export class RequestError extends Error {
  readonly code: "request" | "no-server";

  constructor(message: string, code: "request" | "no-server" = "request") {
    super(message);
    this.code = code;
  }
}
