import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { putScanDescription } from "@waymark/shared/scans/descriptions/addresses.ts";
import { requestOf } from "@waymark/shared/operations/request.ts";
import { errorCodeOf } from "../http/error-code.ts";
import { usageError } from "../lib/cli-error.ts";
import type { DescriptionText } from "../openapi/description-text.ts";
import { type ApiConnection, exchange } from "./api-client.ts";
import { rejectionError } from "./api-errors.ts";

/** How long the server waits until the run is completed, before it can store a description for it. */
const WAIT_SECONDS = 10;
/** A smaller text fits a packet or two as it is. */
const GZIP_FROM_BYTES = 1024;

/**
 * Stores the description of a run. Sends its hash first: nothing else is sent if the server has the text. A server without descriptions is
 * no fault.
 *
 * @throws {CliError} with the server's message, or if that takes longer than `descriptionMs`
 */
export async function putRunDescription(
  connection: ApiConnection,
  text: DescriptionText,
  scanRunId: string,
): Promise<void> {
  const { times, baseUrl } = connection;
  const what = "storing the description";
  const deadline = performance.now() + times.descriptionMs;
  const { method, path, headers } = requestOf(putScanDescription, {
    params: { scanRunId },
    query: { waitSeconds: WAIT_SECONDS },
    headers: { "repr-digest": `sha-256=:${createHash("sha256").update(text.bytes).digest("base64")}:` },
  });
  const send = (content: { body?: Buffer; headers?: Record<string, string> } = {}) => {
    const totalMs = Math.max(1, deadline - performance.now());
    const attemptMs = Math.min(times.attemptMs, totalMs);
    const connectMs = Math.min(times.connectMs, totalMs);
    return exchange(
      { ...connection, times: { ...times, totalMs, attemptMs, connectMs }, onRetry: () => undefined },
      { what, method, path, ...content, headers: { ...headers, ...content.headers } },
    );
  };
  let response = await send();
  if (response.status === 409 && errorCodeOf(response.body) === "description_unknown") {
    const plain = { body: text.bytes, headers: { "content-type": text.mediaType } };
    const isSmall = text.bytes.length < GZIP_FROM_BYTES;
    response = await send(isSmall ? plain : compressed(plain));
    // As for a scan: the server, or a proxy, may accept no compressed bodies.
    if (response.status === 415 && !isSmall) response = await send(plain);
  }
  // An older server has no such route.
  if (response.status < 300 || response.status === 404 || response.status === 405) return;
  if (response.status === 403 && errorCodeOf(response.body) === "descriptions_disabled")
    throw usageError("this organization stores no descriptions");
  throw rejectionError({ what, baseUrl }, response);
}

function compressed({ body, headers }: { body: Buffer; headers: Record<string, string> }) {
  return { body: gzipSync(body), headers: { ...headers, "content-encoding": "gzip" } };
}
