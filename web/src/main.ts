// The first script is small: it starts what the opened page needs while the rest of the console, which index.html names, still loads.
import "./app/components.css";
import "./app/app.css";
import "./app/font.css";
import { beginOpenedPage } from "./app/begin-opened-page.ts";

beginOpenedPage();
await import("./app/start.tsx");
