import type { ErrorDetail } from "../lib/error-details.ts";

interface ErrorKind {
  /** The status of the api's response. */
  httpStatus: number;
  /** Whether the same request may succeed later: then the worker retries the job, and the CLI the request. */
  retry: boolean;
  /** The exit code of the CLI. */
  exitCode: number;
}

/** Every error code, and how each deployable handles it. */
export const ERROR_KINDS = {
  validation_failed: { httpStatus: 400, retry: false, exitCode: 2 },
  malformed_json: { httpStatus: 400, retry: false, exitCode: 2 },
  missing_credentials: { httpStatus: 401, retry: false, exitCode: 3 },
  invalid_api_key: { httpStatus: 401, retry: false, exitCode: 3 },
  api_key_expired: { httpStatus: 401, retry: false, exitCode: 3 },
  api_key_revoked: { httpStatus: 401, retry: false, exitCode: 3 },
  api_key_disabled: { httpStatus: 401, retry: false, exitCode: 3 },
  session_ended: { httpStatus: 401, retry: false, exitCode: 3 },
  permission_denied: { httpStatus: 403, retry: false, exitCode: 3 },
  network_not_allowed: { httpStatus: 403, retry: false, exitCode: 3 },
  organization_mismatch: { httpStatus: 403, retry: false, exitCode: 3 },
  not_found: { httpStatus: 404, retry: false, exitCode: 2 },
  request_timeout: { httpStatus: 408, retry: true, exitCode: 4 },
  api_key_not_active: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The key created with this idempotency key was used, so it can't be replaced any more. */
  api_key_in_use: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The organization's last key with full access. */
  last_full_access_key: { httpStatus: 409, retry: false, exitCode: 2 },
  request_in_progress: { httpStatus: 409, retry: true, exitCode: 4 },
  payload_too_large: { httpStatus: 413, retry: false, exitCode: 2 },
  unsupported_media_type: { httpStatus: 415, retry: false, exitCode: 2 },
  idempotency_key_reused: { httpStatus: 422, retry: false, exitCode: 2 },
  rate_limited: { httpStatus: 429, retry: true, exitCode: 4 },
  request_headers_too_large: { httpStatus: 431, retry: false, exitCode: 2 },
  internal_error: { httpStatus: 500, retry: true, exitCode: 4 },
  service_unavailable: { httpStatus: 503, retry: true, exitCode: 4 },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

/** A limit that a request exceeded, for the audit record. */
export interface ExceededLimit {
  /** The name in `GET /api/limits`. */
  name: string;
  value: number;
  /** What the limit applies to. */
  of: "key" | "organization";
}

/** Data of an error besides its message. */
export interface AppErrorData {
  /** Faults and their positions in the request. */
  details?: ErrorDetail[];
  /** Seconds after which the request may be tried again. */
  retryAfterSeconds?: number;
  /** Of `rate_limited`; unset if no known key is limited. */
  exceededLimit?: ExceededLimit;
}

/** An error with a known meaning. Callers see the message, so it must not contain a key, token or header. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly data: AppErrorData;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; data?: AppErrorData } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data ?? {};
  }

  get httpStatus(): number {
    return ERROR_KINDS[this.code].httpStatus;
  }
}
