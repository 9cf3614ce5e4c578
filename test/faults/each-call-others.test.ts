import { injectFaults } from "./each-call.ts";

injectFaults("others");
