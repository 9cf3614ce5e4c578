/** Runs before each file: starts its service, with its own demo data and without limits of rate, so that no file depends on another. */
import { afterAll, expect, inject } from "vitest";
import { largeRows } from "../../src/dev/demo/large.ts";
import { startBuiltService } from "../live-service.ts";
import { useService } from "./browser.ts";

/** The files whose service has the large app too. */
const ON_LARGE = /\/matrix-large\.test\.ts$/;

const isLarge = ON_LARGE.test(expect.getState().testPath ?? "");
const started = await startBuiltService(inject("script"), isLarge ? largeRows(Date.now()) : []);
useService(started);
afterAll(() => started.stop());
