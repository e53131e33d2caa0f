/** Limits of runs in the cloud runner, as `GET /api/limits` publishes them. */
export const JOURNEY_RUN_LIMITS = {
  /** Numbers of runs of one organization. */
  runningMax: 10,
  waitingMax: 200,
  startedPerHourMax: 600,
  uploadedPerHourMax: 600,
  /** Uploaded results that contain a secret of their environment, of one organization and of one key. */
  uploadedWithSecretPerHourMax: 20,
  uploadedWithSecretPerHourMaxOfKey: 5,
  /** A run that no worker took for so long ends as an error. */
  waitMinutesMax: 60,
  /** Workers that may be lost with one run until its teardown is given up. */
  lossesMax: 3,
  runMs: 5 * 60_000,
  teardownMs: 60_000,
  requestsMax: 1_000,
  /** The maximum length of each body in the evidence, in characters. */
  evidenceBodyCharsMax: 16_384,
  /** The maximum size of all evidence of a run. Bodies of steps that passed are left out first. */
  evidenceBytesMax: 4 * 1024 * 1024,
  /** The maximum size of a result with its steps and evidence. Values may be left out, outcomes never. */
  resultBytesMax: 8 * 1024 * 1024,
  /** The maximum size of the request that uploads one result. */
  uploadBytesMax: 8 * 1024 * 1024,
} as const;
