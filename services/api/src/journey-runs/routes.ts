import type { Serve } from "../lib/serve.ts";
import { registerReadRunRoutes } from "./read-routes.ts";
import { registerRunResultRoutes } from "./result-routes.ts";
import type { JourneyRunRouteDependencies } from "./route-definitions.ts";
import { registerStepRoutes } from "./step-routes.ts";
import { registerStartRunRoutes } from "./start-routes.ts";
import { registerUploadRoutes } from "./upload-routes.ts";

export function registerJourneyRunRoutes(serve: Serve, dependencies: JourneyRunRouteDependencies): void {
  registerStartRunRoutes(serve, dependencies);
  registerReadRunRoutes(serve, dependencies);
  registerStepRoutes(serve, dependencies);
  registerRunResultRoutes(serve, dependencies);
  registerUploadRoutes(serve, dependencies);
}
