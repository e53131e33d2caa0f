import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import classes from "./breadcrumbs.module.css";

/** Links from the list of services to the current page. The page's heading follows them. */
export function Breadcrumbs({ steps }: { steps: readonly { href: string; label: string }[] }) {
  return (
    <nav aria-label="You are here" className={classes["breadcrumbs"]}>
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
