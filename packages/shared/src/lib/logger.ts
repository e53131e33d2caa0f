import { type DestinationStream, type Logger, pino } from "pino";
import { redactLine } from "./redact-line.ts";

export type { Logger } from "pino";

/**
 * JSON lines on standard output. What could carry a credential is removed even where somebody logs it: fields by
 * their name, and whatever looks like one in the finished line.
 */
export function createLogger(
  options: { service: "api" | "worker"; level: string },
  destination?: DestinationStream,
): Logger {
  const settings = {
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
    hooks: { streamWrite: redactLine },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}
