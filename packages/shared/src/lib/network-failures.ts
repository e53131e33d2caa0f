const FAILURES: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before a complete answer came",
  EPIPE: "the connection was closed before a complete answer came",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  HPE_HEADER_OVERFLOW: "the answer's headers are too large",
  ERR_INVALID_CHAR: "a header holds a character that can't be sent",
};

const CERTIFICATE_FAULTS = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

/**
 * Why no answer came, in words for the user that continue a sentence. Where there are none, the system's own message: it
 * names the address, and never a header's value.
 */
export function describeFailure(error: unknown): string {
  const code = codeOf(error);
  if (Object.hasOwn(FAILURES, code)) return FAILURES[code] ?? "";
  if (code.startsWith("HPE_")) return "the answer is not HTTP";
  if (!(error instanceof Error)) return "there was no answer";
  return code === "" ? error.message : `${error.message} (${code})`;
}

/** The code of what is wrong with the server's certificate; undefined for every other failure. */
export function certificateFault(error: unknown): string | undefined {
  const code = codeOf(error);
  return CERTIFICATE_FAULTS.test(code) ? code : undefined;
}

/** Whether the server had closed the connection: a kept one before it read the request. */
export function isReset(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ECONNRESET" || code === "EPIPE";
}

function codeOf(error: unknown): string {
  // Several addresses of one name fail together.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
