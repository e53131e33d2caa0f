import { TransportError } from "@waymark/journeys/run/transport.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { escapeControls } from "@waymark/shared/lib/printable.ts";
import * as client from "openid-client";

const TEXT_MAX = 300;
/** How soon it may be tried again. */
const RETRY_SECONDS = 10;
/** Errors of the token endpoint that an administrator has to mend. */
const OF_CLIENT = new Set(["invalid_client", "unauthorized_client", "unsupported_grant_type"]);
/** Errors of the redirect after which the same may succeed. */
const TEMPORARY = new Set(["server_error", "temporarily_unavailable"]);

/**
 * Throws what a person has to know of a provider's fault. What a provider sends is shown only after its state was verified, because anybody
 * can make a link with a text.
 *
 * @throws AppError `sign_in_refused` or `identity_provider_unavailable`
 */
export function toProviderError(error: unknown): never {
  if (error instanceof AppError) throw error;
  if (error instanceof client.AuthorizationResponseError) throw ofRedirect(error);
  if (error instanceof client.ResponseBodyError) throw ofTokenEndpoint(error);
  if (isUnavailable(error)) throw unavailable("does not respond as it should", error);
  throw refused("The identity provider's response is not valid. Sign in again.", error);
}

function ofRedirect(error: client.AuthorizationResponseError): AppError {
  const said = saying(error.error, error.error_description);
  if (TEMPORARY.has(error.error))
    return unavailable(`says that it can't sign anybody in now (${said})`, error);
  return refused(`The identity provider did not sign you in: ${said}.`, error);
}

function ofTokenEndpoint(error: client.ResponseBodyError): AppError {
  if (error.status >= 500) return unavailable("does not respond as it should", error);
  if (OF_CLIENT.has(error.error)) {
    return refused(
      `The identity provider refuses Waymark's client (${saying(error.error, undefined)}). Ask an administrator to check its client id and secret.`,
      error,
    );
  }
  return refused(
    `The identity provider refuses the sign-in (${saying(error.error, undefined)}). Sign in again.`,
    error,
  );
}

/** True for a provider that can't be reached, or that responds with something else than OpenID Connect has. */
function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof TransportError || cause.name === "TimeoutError" || cause.name === "AbortError")
      return true;
    if ("code" in cause && (cause.code === "OAUTH_RESPONSE_IS_NOT_CONFORM" || cause.code === "OAUTH_TIMEOUT"))
      return true;
  }
  return false;
}

function saying(code: string, description: string | undefined): string {
  const text = description === undefined || description === "" ? code : `${code}: ${description}`;
  return escapeControls(Array.from(text).slice(0, TEXT_MAX).join("")).replace(/\.$/, "");
}

export function refused(message: string, cause?: unknown): AppError {
  return new AppError("sign_in_refused", message, { cause });
}

/** A fault of the provider that may pass. */
export function unavailable(what: string, cause: unknown): AppError {
  return new AppError("identity_provider_unavailable", `The identity provider ${what}. Try again shortly.`, {
    cause,
    data: { retryAfterSeconds: RETRY_SECONDS },
  });
}
