import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import classes from "./breadcrumbs.module.css";

/** The way from the services to where the reader is; the page's own heading follows it. */
export function Breadcrumbs({ steps }: { steps: readonly { href: string; label: string }[] }) {
  return (
    <nav aria-label="You are here" className={classes["trail"]}>
      {steps.map(({ href, label }, index) => (
        <span key={href}>
          {index > 0 && <span aria-hidden> / </span>}
          <Anchor component={Link} href={href} className="breaks">
            {label}
          </Anchor>
        </span>
      ))}
    </nav>
  );
}
