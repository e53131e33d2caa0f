import { JourneyBuildCommand } from "./journey/build.ts";
import { JourneyCoverageCommand } from "./journey/coverage.ts";
import { JourneyEditCommand } from "./journey/edit.ts";
import { JourneyExportCommand } from "./journey/export.ts";
import { JourneyImportCommand } from "./journey/import.ts";
import { JourneyLintCommand } from "./journey/lint.ts";
import { JourneyNewCommand } from "./journey/new.ts";
import { JourneyRunCommand } from "./journey/run.ts";

/** The commands of `waymark journey`. They are light: the journey engine is loaded when one of them runs. */
export const JOURNEY_COMMANDS = [
  JourneyNewCommand,
  JourneyLintCommand,
  JourneyBuildCommand,
  JourneyRunCommand,
  JourneyCoverageCommand,
  JourneyEditCommand,
  JourneyImportCommand,
  JourneyExportCommand,
];
