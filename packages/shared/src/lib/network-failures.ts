const FAILURES: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before the complete response arrived",
  EPIPE: "the connection was closed before the complete response arrived",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  HPE_HEADER_OVERFLOW: "the response headers are too large",
  ERR_INVALID_CHAR: "a header contains a character that can't be sent",
};

const CERTIFICATE_FAULTS = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/;

/**
 * Why there was no response, as part of a sentence for the user. For unknown errors it is the system's message, which
 * contains the address but never a header's value.
 */
export function describeFailure(error: unknown): string {
  const code = codeOf(error);
  if (Object.hasOwn(FAILURES, code)) return FAILURES[code] ?? "";
  if (code.startsWith("HPE_")) return parseFailure(error);
  if (!(error instanceof Error)) return "there was no response";
  return code === "" ? error.message : `${error.message} (${code})`;
}

/** The reason is one of the parser's own sentences, and has nothing of the response. */
function parseFailure(error: unknown): string {
  const reason = error instanceof Error && "reason" in error ? error.reason : undefined;
  if (typeof reason !== "string" || reason.startsWith("Expected HTTP/")) return "the response is not HTTP";
  return `the response is not valid HTTP: ${reason}`;
}

/** The error code of an invalid server certificate; undefined for every other failure. */
export function certificateFault(error: unknown): string | undefined {
  const code = codeOf(error);
  return CERTIFICATE_FAULTS.test(code) ? code : undefined;
}

/** Whether the server closed the connection, such as an idle one before it read the request. */
export function isReset(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ECONNRESET" || code === "EPIPE";
}

function codeOf(error: unknown): string {
  // If several addresses of a name fail, they fail in one error.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
