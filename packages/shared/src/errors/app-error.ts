import type { ErrorDetail } from "../lib/error-details.ts";
import type { VersionConflict } from "./schema.ts";

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
  /** The user or the service account of the key is disabled. */
  principal_disabled: { httpStatus: 401, retry: false, exitCode: 3 },
  session_ended: { httpStatus: 401, retry: false, exitCode: 3 },
  /** The sign-in took too long, was completed before, or was begun in another browser. */
  sign_in_expired: { httpStatus: 401, retry: false, exitCode: 3 },
  /** A workload's token is not valid, or no trust policy accepts it. It says no more, because anybody may ask. */
  identity_refused: { httpStatus: 401, retry: false, exitCode: 3 },
  /** A workload's token is of an owner that a trust policy names, and does not meet its other conditions. */
  identity_not_trusted: { httpStatus: 403, retry: false, exitCode: 3 },
  /** The identity provider's response proves nobody, or somebody who may not sign in. */
  sign_in_refused: { httpStatus: 403, retry: false, exitCode: 3 },
  /** The session signed in too long ago for this. */
  recent_sign_in_required: { httpStatus: 403, retry: false, exitCode: 3 },
  /** The operator has keys open no sessions. */
  key_sign_in_disabled: { httpStatus: 403, retry: false, exitCode: 3 },
  /** The environment runs only released versions, with its own inputs. */
  environment_protected: { httpStatus: 403, retry: false, exitCode: 3 },
  /** The organization's operator has it store no descriptions. */
  descriptions_disabled: { httpStatus: 403, retry: false, exitCode: 3 },
  permission_denied: { httpStatus: 403, retry: false, exitCode: 3 },
  network_not_allowed: { httpStatus: 403, retry: false, exitCode: 3 },
  organization_mismatch: { httpStatus: 403, retry: false, exitCode: 3 },
  /** The scan run has no description. */
  description_missing: { httpStatus: 404, retry: false, exitCode: 2 },
  /** The invitation was used, has expired, was withdrawn, or never existed. */
  invitation_invalid: { httpStatus: 404, retry: false, exitCode: 2 },
  not_found: { httpStatus: 404, retry: false, exitCode: 2 },
  /** The address exists, and has no such method: `Allow` names those that it has. */
  method_not_allowed: { httpStatus: 405, retry: false, exitCode: 2 },
  request_timeout: { httpStatus: 408, retry: true, exitCode: 4 },
  api_key_not_active: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The key created with this idempotency key was used, so it can't be replaced any more. */
  api_key_in_use: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The organization's last key with full access. */
  last_full_access_key: { httpStatus: 409, retry: false, exitCode: 2 },
  /** No configured key opens what is encrypted, or none encrypts: the operator's to set. */
  encryption_key_missing: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The organization's last active administrator. */
  last_administrator: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The role is granted to somebody. */
  role_in_use: { httpStatus: 409, retry: false, exitCode: 2 },
  /** Another team has the slug, or one of the handles. */
  team_name_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The owner of the saved view has another one with the name. */
  saved_view_name_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  email_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  environment_name_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  trust_policy_name_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  /** A workload's token was exchanged before. */
  identity_token_used: { httpStatus: 409, retry: false, exitCode: 3 },
  /** Another service has the name, or has it as an alias. */
  service_name_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  schedule_name_taken: { httpStatus: 409, retry: false, exitCode: 2 },
  /** No request promoted the run lately, or another run became current since. */
  promotion_final: { httpStatus: 409, retry: false, exitCode: 2 },
  /** Something else refers to the environment, such as a schedule. */
  environment_in_use: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The organization, or the environment, has as many as it may have. */
  limit_reached: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The key belongs to no user, and what was asked for is kept for users. */
  user_required: { httpStatus: 409, retry: false, exitCode: 2 },
  /** A document has moved on since the version that the change was made from. */
  version_conflict: { httpStatus: 409, retry: false, exitCode: 1 },
  /** A document or a schedule refers to the document. */
  document_in_use: { httpStatus: 409, retry: false, exitCode: 2 },
  document_managed: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The server builds another program than the caller has. */
  artifact_mismatch: { httpStatus: 409, retry: false, exitCode: 2 },
  /** An uploaded result is of an artifact that this server has not built. */
  artifact_unknown: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The run has another description. */
  description_conflict: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The operations of a description are not the endpoints of the run. */
  description_mismatch: { httpStatus: 409, retry: false, exitCode: 2 },
  /** No run of its service has a description with this hash: the text is needed. */
  description_unknown: { httpStatus: 409, retry: false, exitCode: 2 },
  /** Another key has stored the verdict of a run's gates. */
  gates_conflict: { httpStatus: 409, retry: false, exitCode: 2 },
  /** The organization does not share runs by links. */
  sharing_disabled: { httpStatus: 409, retry: false, exitCode: 2 },
  /** Somebody else wrote the comment. */
  not_the_author: { httpStatus: 409, retry: false, exitCode: 2 },
  /** There is another result with the id of an uploaded run. */
  result_conflict: { httpStatus: 409, retry: false, exitCode: 2 },
  /** A run has no content or result yet. It is a matter of time. */
  run_not_completed: { httpStatus: 409, retry: true, exitCode: 4 },
  /** A run failed and never gets a content. */
  run_failed: { httpStatus: 409, retry: false, exitCode: 2 },
  request_in_progress: { httpStatus: 409, retry: true, exitCode: 4 },
  /** `If-Match` names an older revision. */
  revision_conflict: { httpStatus: 412, retry: false, exitCode: 2 },
  payload_too_large: { httpStatus: 413, retry: false, exitCode: 2 },
  unsupported_media_type: { httpStatus: 415, retry: false, exitCode: 2 },
  idempotency_key_reused: { httpStatus: 422, retry: false, exitCode: 2 },
  journey_invalid: { httpStatus: 422, retry: false, exitCode: 2 },
  /** An uploaded result contradicts its program. */
  result_mismatch: { httpStatus: 422, retry: false, exitCode: 2 },
  /** The discovery document of an identity provider can't be read, or says that it can't be used. */
  identity_provider_invalid: { httpStatus: 422, retry: false, exitCode: 2 },
  input_invalid: { httpStatus: 422, retry: false, exitCode: 3 },
  secret_missing: { httpStatus: 422, retry: false, exitCode: 3 },
  rate_limited: { httpStatus: 429, retry: true, exitCode: 4 },
  /** Too many runs of journeys wait, or were started. */
  quota_exceeded: { httpStatus: 429, retry: true, exitCode: 4 },
  request_headers_too_large: { httpStatus: 431, retry: false, exitCode: 2 },
  internal_error: { httpStatus: 500, retry: true, exitCode: 4 },
  /** The signing keys of a workload's issuer can't be read now. */
  issuer_unavailable: { httpStatus: 503, retry: true, exitCode: 4 },
  /** The identity provider does not respond as it should now. */
  identity_provider_unavailable: { httpStatus: 503, retry: true, exitCode: 4 },
  service_unavailable: { httpStatus: 503, retry: true, exitCode: 4 },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

/** A limit that a request exceeded, for the audit record. */
export interface ExceededLimit {
  /** The name in `GET /api/limits`. */
  name: string;
  value: number;
  /** The scope of the limit: one key, or all keys of an organization. */
  of: "key" | "organization";
}

/** Data of an error besides its message. */
export interface AppErrorData {
  /** Faults and their positions in the request. */
  details?: ErrorDetail[];
  /** Seconds after which the request may be tried again. */
  retryAfterSeconds?: number;
  /** The conflicting documents, for `version_conflict`. */
  conflicts?: VersionConflict[];
  /** The methods of the address, for `method_not_allowed`. */
  allowedMethods?: readonly string[];
  /** The limit, for `rate_limited`; unset if no known key is limited. */
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
