// The first script is small: it starts what the opened page needs while the rest of the console, which index.html names, still loads.
import { beginOpenedPage } from "./app/begin-opened-page.ts";
import { untilStyled } from "./app/until-styled.ts";

beginOpenedPage();
await untilStyled();
await import("./app/start.tsx");
