// The synchronous server with one JSON parameter for all rows.
import { insertJson } from "./insert-json.ts";
import { serveSynchronously } from "./synchronous-app.ts";

await serveSynchronously(insertJson);
