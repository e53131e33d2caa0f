export const TEAM_LIMITS = {
  teamsMax: 500,
  slugMax: 63,
  membersPerTeamMax: 1_000,
  teamsPerUserMax: 50,
  /** Roles of a team. Each request of a member reads them. */
  grantsPerTeamMax: 10,
  handlesPerTeamMax: 20,
  handleMax: 200,
  /** Services that a team owns. Each request of a user with a role for them reads their ids. */
  servicesPerTeamMax: 1_000,
} as const;
