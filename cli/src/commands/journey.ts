import { JourneyBuildCommand } from "./journey/build.ts";
import { JourneyLintCommand } from "./journey/lint.ts";
import { JourneyRunCommand } from "./journey/run.ts";

/** The commands of `waymark journey`. They are light: the journey engine is loaded when one of them runs. */
export const JOURNEY_COMMANDS = [JourneyRunCommand, JourneyLintCommand, JourneyBuildCommand];
