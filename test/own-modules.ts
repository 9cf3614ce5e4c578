/** The files whose tests are about what the Worker remembers in memory. They get modules of their own, as in a new isolate. */
export const OWN_MODULES =
  /\/(account\/show-token|auth\/(passwords|pace|report-limits)|db\/statements|site\/health|security\/(rate-limits|shed-load))\.test\.ts$/;
