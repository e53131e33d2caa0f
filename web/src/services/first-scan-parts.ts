import { lazyPart } from "../lib/lazy-part.tsx";

// Most organizations have had their first scan.
const load = () => import("./first-scan.tsx");
export const FirstScan = lazyPart("How to submit a scan", async () => (await load()).FirstScan);
export const FirstRun = lazyPart("The first scan", async () => (await load()).FirstRun);
