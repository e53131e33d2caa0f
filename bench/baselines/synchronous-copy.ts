// The synchronous server with binary COPY.
import { insertCopy } from "./insert-copy.ts";
import { serveSynchronously } from "./synchronous-app.ts";

await serveSynchronously(insertCopy);
