// The first script is small: it starts the requests of the opened page while the rest of the console, which index.html
// names, still loads.
import { beginOpenedPage } from "./app/begin-opened-page.ts";
import { untilStyled } from "./app/until-styled.ts";
import { timeFormats } from "./lib/time-formats.ts";

beginOpenedPage();
// Until the other scripts are there, there is nothing else to do.
timeFormats();
await untilStyled();
await import("./app/start.tsx");
