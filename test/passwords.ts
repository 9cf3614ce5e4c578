/**
 * Lets passwords be hashed quickly and without a pause. test/auth/pace.test.ts checks the pauses, and
 * test/auth/passwords.test.ts the cost in production.
 */
import { PACE, SCRYPT } from "../src/auth/scrypt.ts";

export const PRODUCTION_COST = { ...SCRYPT };

PACE.interval = 0;
Object.assign(SCRYPT, { N: 2, r: 1, p: 1 });
