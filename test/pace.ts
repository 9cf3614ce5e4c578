/** A setup file that lets passwords be hashed without a pause. test/auth/pace.test.ts checks the pauses. */
import { PACE } from "../src/auth/scrypt.ts";

PACE.interval = 0;
