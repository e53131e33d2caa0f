import { Command } from "clipanion";
import { given } from "../lib/config.ts";
import type { CliContext } from "./context.ts";
import { reportError } from "./report-error.ts";

/** A command that prints errors on standard error, with an exit code; clipanion prints them on standard output. */
export abstract class BaseCommand extends Command<CliContext> {
  /** The value of `--config`, of commands that have it. */
  declare config?: string | undefined;

  /** Runs the command and returns the exit code. */
  abstract run(): Promise<number>;

  override async execute(): Promise<number> {
    this.context = { ...this.context, configFile: given(this.config) };
    try {
      return await this.run();
    } catch (error) {
      return reportError(error, this.context);
    }
  }
}

/** The options and operands of a command, as given. */
export type OptionsOf<C extends BaseCommand> = Omit<C, Exclude<keyof BaseCommand, "config">>;
