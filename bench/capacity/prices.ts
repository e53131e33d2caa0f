/** A price list, as it was on a day. */
export const PRICES = {
  name: "AWS, on demand, US East (N. Virginia)",
  date: "June 2026",
  links: ["https://aws.amazon.com/ec2/pricing/on-demand/", "https://aws.amazon.com/ebs/pricing/"],
  /** A processor with 4 GB of memory: half of m7g.large. */
  processorHour: 0.0408,
  /** gp3, with 125 MB/s. */
  diskGigabyteMonth: 0.08,
  /** gp3, beyond these. */
  diskMegabytePerSecondMonth: 0.04,
} as const;

export const DISK_MB_PER_SECOND_INCLUDED = 125;
export const HOURS_PER_MONTH = 730;
