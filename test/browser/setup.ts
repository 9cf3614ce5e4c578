/** Runs before each file: starts its service, with its own demo data and without limits of rate, so that no file depends on another. */
import { afterAll, inject } from "vitest";
import { startBuiltService } from "../live-service.ts";
import { useService } from "./browser.ts";

const started = await startBuiltService(inject("script"));
useService(started);
afterAll(() => started.stop());
