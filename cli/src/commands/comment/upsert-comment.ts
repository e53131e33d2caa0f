import type { CliContext } from "../../framework/context.ts";
import { proxyFor } from "../../http/proxy.ts";
import { withRetries } from "../../http/retry.ts";
import { type HttpRequest, type HttpResponse, NetworkError, send } from "../../http/send.ts";
import { CliError, EXIT_CODES } from "../../lib/cli-error.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { VERSION } from "../../lib/version.ts";
import type { Comment, CommentThread } from "./comment-thread.ts";

const PAGES_MAX = 20;

export interface CommentToWrite {
  context: Pick<CliContext, "env" | "times">;
  extraCa: string | undefined;
  reporter: Reporter;
  /** The text that comments of earlier builds begin with. */
  marker: string;
  body: string;
}

/** @throws {CliError} if the server refuses it or does not respond */
export async function upsertComment(
  thread: CommentThread,
  comment: CommentToWrite,
): Promise<"created" | "updated"> {
  const earlier = await findEarlier(thread, comment);
  if (earlier === undefined) {
    await request(thread, comment, { method: "POST", url: thread.createUrl, change: "create" });
    return "created";
  }
  await request(thread, comment, { method: thread.updateMethod, url: earlier.url, change: "update" });
  return "updated";
}

async function findEarlier(thread: CommentThread, comment: CommentToWrite): Promise<Comment | undefined> {
  for (let page = 1; page <= PAGES_MAX; page++) {
    const url = thread.pageUrl(page);
    const { body } = await request(thread, comment, { method: "GET", url });
    const found = thread.readPage(parseJson(body));
    if (found === undefined) {
      throw new CliError(
        EXIT_CODES.unavailable,
        `Reading the comments failed: the response of ${new URL(url).host} is no list of comments.`,
      );
    }
    const earlier = found.comments.find(({ text }) => text.startsWith(comment.marker.trimEnd()));
    if (earlier !== undefined || found.isLast) return earlier;
  }
  return undefined;
}

async function request(
  thread: CommentThread,
  { context, extraCa, reporter, body }: CommentToWrite,
  { method, url, change }: { method: HttpRequest["method"]; url: string; change?: "create" | "update" },
): Promise<HttpResponse> {
  const { times, env } = context;
  const address = new URL(url);
  const content =
    change === undefined ? undefined : Buffer.from(JSON.stringify(thread.contentOf(body, change)));
  const attempt = (totalTimeoutMs: number) =>
    send({
      method,
      url: address,
      headers: {
        ...thread.headers,
        "user-agent": `waymark/${VERSION}`,
        ...(content !== undefined && { "content-type": "application/json" }),
      },
      ...(content !== undefined && { body: content }),
      connectTimeoutMs: times.connectMs,
      totalTimeoutMs,
      proxy: proxyFor(address, env),
      extraCa,
    });
  // A comment that was stored without a response would be there twice.
  const attempts = method === "POST" ? { ...times, attemptsMax: 1 } : times;
  let response: HttpResponse;
  try {
    response = await withRetries(attempt, {
      times: attempts,
      onRetry: ({ reason, delayMs }) =>
        reporter.delay(`${address.host}: ${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s.`),
    });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    throw new CliError(
      EXIT_CODES.unavailable,
      `Commenting failed: no response from ${address.host}: ${printable(error.message, 300)}.`,
      { cause: error },
    );
  }
  if (response.status >= 200 && response.status < 300) return response;
  throw refusal(thread, address, { method, status: response.status });
}

function refusal(
  { permission }: CommentThread,
  { host }: URL,
  { method, status }: { method: string; status: number },
): CliError {
  // A project that a token can't see is not found.
  const isAccess = status === 401 || status === 403 || status === 404;
  const hint = isAccess ? `: ${permission}` : "";
  return new CliError(
    isAccess ? EXIT_CODES.access : EXIT_CODES.unavailable,
    `${host} responded to ${method} of the comment with ${status}${hint}.`,
  );
}
