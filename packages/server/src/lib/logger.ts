import { type DestinationStream, type Logger, pino } from "pino";
import { redactLine } from "./redact-line.ts";
import { createTickBufferedWriter } from "./tick-buffered-writer.ts";

export type { DestinationStream, Logger } from "pino";

/**
 * Logs JSON lines on standard output. Removes credentials that are logged by mistake: fields by their names, and every
 * text in the finished line that looks like a credential.
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
  return pino(settings, destination ?? standardOutput());
}

/** Lines are written at the end of the tick at the latest, and when the process ends. Pino flushes after `fatal`. */
function standardOutput(): DestinationStream {
  const output = createTickBufferedWriter(pino.destination({ dest: process.stdout.fd, sync: true }));
  process.on("exit", output.flushSync);
  return output;
}
