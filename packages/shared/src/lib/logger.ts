import { type Logger, pino } from "pino";
import { redactApiKeys } from "./redact-api-keys.ts";

export type { Logger } from "pino";

/** JSON lines on standard output. What could carry a credential is removed even where somebody logs it. */
export function createLogger(options: { service: "api" | "worker"; level: string }): Logger {
  return pino({
    name: `waymark-${options.service}`,
    level: options.level,
    hooks: { streamWrite: redactApiKeys },
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
