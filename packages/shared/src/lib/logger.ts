import { type Logger, pino } from "pino";

export type { Logger } from "pino";

/** JSON lines on standard output. What could carry a credential is removed even where somebody logs it. */
export function createLogger(options: { service: "api" | "worker"; level: string }): Logger {
  return pino({
    name: `waymark-${options.service}`,
    level: options.level,
    redact: {
      paths: [
        "req.headers",
        "headers",
        "*.headers",
        "authorization",
        "*.authorization",
        "apiKey",
        "*.apiKey",
        "rawKey",
        "*.rawKey",
      ],
      censor: "[redacted]",
    },
  });
}
