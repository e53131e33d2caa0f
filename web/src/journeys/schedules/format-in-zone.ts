import { LOCALE } from "../../lib/locale.ts";

/** A time as clocks in the zone show it, with the weekday. */
export function formatInZone(at: string, timeZone: string): string {
  return formatterOf(timeZone).format(new Date(at));
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const options = {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  } as const;
  try {
    return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone });
  } catch (error) {
    // The server may know newer zones than the browser.
    if (!(error instanceof RangeError)) throw error;
    return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: "UTC" });
  }
}

/** The zones to choose from, that of the browser included. */
export function timeZones(): { own: string; all: string[] } {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { own, all: [...new Set(["UTC", own, ...Intl.supportedValuesOf("timeZone")])] };
}
