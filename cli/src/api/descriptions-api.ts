import { gunzipSync } from "node:zlib";
import { getScanDescription } from "@waymark/shared/scans/descriptions/addresses.ts";
import { requestOf } from "@waymark/shared/operations/request.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { errorCodeOf } from "../http/error-code.ts";
import { type ApiConnection, exchange } from "./api-client.ts";
import { rejectionError, unexpectedResponseError } from "./api-errors.ts";

/**
 * Reads the description that is stored for a run, byte for byte as it was sent.
 *
 * @returns "missing" if the run has none, "unknown" if there is no such run, or a server without descriptions
 * @throws {CliError} with the server's message for any other refusal
 */
export async function readRunDescription(
  connection: ApiConnection,
  scanRunId: string,
): Promise<Buffer | "missing" | "unknown"> {
  const what = "reading the description";
  const { method, path } = requestOf(getScanDescription, { params: { scanRunId } });
  const bytesMax = SCAN_LIMITS.descriptionBytesMax;
  const response = await exchange(connection, {
    what,
    method,
    path,
    headers: { "accept-encoding": "gzip" },
    responseBytesMax: bytesMax,
  });
  if (response.status === 404)
    return errorCodeOf(response.body) === "description_missing" ? "missing" : "unknown";
  if (response.status !== 200) throw rejectionError({ what, baseUrl: connection.baseUrl }, response);
  // A page of a proxy is not taken for a description.
  if (!/^application\/(?:json|yaml)\b/.test(response.headers["content-type"] ?? ""))
    throw unexpectedResponseError({ what, baseUrl: connection.baseUrl }, response);
  if (response.headers["content-encoding"] !== "gzip") return response.body;
  try {
    return gunzipSync(response.body, { maxOutputLength: bytesMax });
  } catch {
    throw unexpectedResponseError({ what, baseUrl: connection.baseUrl }, response);
  }
}
