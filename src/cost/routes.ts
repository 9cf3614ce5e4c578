/** The routes of the cost API. */
import { routesOf } from "../http/operation.ts";
import { listCosts } from "./list-costs.ts";
import { readCost } from "./read-cost.ts";
import { readRound } from "./read-round.ts";
import { submitBatch } from "./submit-batch.ts";
import { submitCost } from "./submit-cost.ts";
import { voidCost } from "./void-cost.ts";

// `readRound` comes before `readCost`, whose path matches everything below /cost.
export const costRoutes = routesOf([submitCost, listCosts, submitBatch, readRound, readCost, voidCost]);
