/** The address of this server, as its links begin. */
export const SERVER_ADDRESS = location.origin;
