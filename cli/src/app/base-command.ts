import { Command } from "clipanion";
import type { CliContext } from "../context.ts";
import { reportError } from "./report-error.ts";

/** A command that prints errors on standard error, with an exit code; clipanion prints them on standard output. */
export abstract class BaseCommand extends Command<CliContext> {
  /** Runs the command and returns the exit code. */
  abstract run(): Promise<number>;

  override async execute(): Promise<number> {
    try {
      return await this.run();
    } catch (error) {
      return reportError(error, this.context);
    }
  }
}
