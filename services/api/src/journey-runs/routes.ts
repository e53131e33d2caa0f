import type { ZodApp } from "../lib/zod-routes.ts";
import { registerReadRunRoutes } from "./read-routes.ts";
import { registerRunResultRoutes } from "./result-routes.ts";
import type { JourneyRunRouteDependencies } from "./route-definitions.ts";
import { registerStepRoutes } from "./step-routes.ts";
import { registerStartRunRoutes } from "./start-routes.ts";
import { registerUploadRoutes } from "./upload-routes.ts";

export function registerJourneyRunRoutes(app: ZodApp, dependencies: JourneyRunRouteDependencies): void {
  registerStartRunRoutes(app, dependencies);
  registerReadRunRoutes(app, dependencies);
  registerStepRoutes(app, dependencies);
  registerRunResultRoutes(app, dependencies);
  registerUploadRoutes(app, dependencies);
}
