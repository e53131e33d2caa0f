import { Command } from "clipanion";
import type { CliContext } from "../context.ts";
import { reportError } from "./report-error.ts";

/** A command whose failures go to standard error with an exit code; clipanion prints them on standard output. */
export abstract class BaseCommand extends Command<CliContext> {
  /** Does the work and gives the exit code. */
  abstract run(): Promise<number>;

  override async execute(): Promise<number> {
    try {
      return await this.run();
    } catch (error) {
      return reportError(error, this.context);
    }
  }
}
