/** The files whose tests are about what the Worker remembers in memory. They get modules of their own, as in a new isolate. */
export const OWN_MODULES = /(?!)/;
