/** In the place of drizzle's module of that name (see wrangler.toml): D1 has no enums, and those bring 6 KB of Postgres along. */
export const isPgEnum = () => false;
