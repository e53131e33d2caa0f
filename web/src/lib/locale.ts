/** The language of the console. Numbers, dates and the order of names follow it, not the browser's language; times are in the browser's zone. */
export const LOCALE = "en-GB";
