import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import { credentialIn } from "@waymark/shared/lib/find-credentials.ts";
import { validationError } from "./zod-routes.ts";

/** Refuses texts with credentials: others read them, and they stay in the audit log. @throws AppError `validation_failed` */
export function refuseCredentials(texts: Readonly<Record<string, string | null | undefined>>): void {
  const found = Object.entries(texts).filter(([, text]) => credentialIn(text ?? "") !== undefined);
  if (found.length === 0) return;
  const message = "must not contain an API key, a token or a private key";
  throw validationError(found.slice(0, ERROR_DETAILS_MAX).map(([path]) => ({ path, message })));
}
