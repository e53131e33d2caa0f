import type { Session } from "@waymark/shared/session/schema.ts";
import { useRef } from "react";
import { Link } from "wouter";
import { useMay } from "../lib/use-session.ts";
import classes from "./personal-menu.module.css";

/** The menu of a signed-in user: who it is, the own keys, and signing out. */
export function PersonalMenu(props: { session: Session; isSigningOut: boolean; onSignOut: () => void }) {
  const { session, isSigningOut, onSignOut } = props;
  const { organizationName, principal, email, apiKeyName } = session;
  const mayReadPeople = useMay("principals:read");
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  const name = principal?.displayName ?? "";
  return (
    <div className={classes["personal"]}>
      <button
        type="button"
        className={classes["opener"]}
        popoverTarget="personal-menu"
        title={`${organizationName}, ${name}`}
      >
        <span className={classes["who"]}>
          <span className="visually-hidden">Signed in to </span>
          <span>{organizationName}</span>
          <span className="visually-hidden"> as </span>
          <span>{name}</span>
        </span>
        <svg
          width="12"
          height="12"
          viewBox="0 0 12 12"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          aria-hidden
        >
          <path d="m2.5 4.5 3.5 3.5 3.5-3.5" />
        </svg>
      </button>
      <div ref={menu} id="personal-menu" popover="auto" className={classes["menu"]} aria-label="You">
        <div className={classes["about"]}>
          <div className={classes["name"]}>{name}</div>
          {email !== null && <div className="breaks">{email}</div>}
          <div className="breaks">{organizationName}</div>
          <div className="breaks">Key: {apiKeyName}</div>
        </div>
        <Link href="/my-keys" onClick={close}>
          My keys
        </Link>
        {mayReadPeople && principal?.id !== undefined && principal.id !== null && (
          <Link href={`/people/${principal.id}`} onClick={close}>
            My roles
          </Link>
        )}
        <button type="button" onClick={onSignOut} disabled={isSigningOut}>
          Sign out
        </button>
      </div>
    </div>
  );
}
