/** A receiver of webhooks that often fails: it keeps every request, with what it answered. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Received, startReceiver, verify } from "../receiver.ts";

export interface Attempt extends Received {
  /** What is wrong with its signature. */
  error?: string;
  /** The receiver has answered with success: the event must not be sent again. */
  isAccepted?: true;
}

/** A webhook, by its path. */
export type Hooks = Map<string, { id: number; secret: string }>;

const SLOW_MS = 1_000;

type Answer = (response: ServerResponse, request: IncomingMessage, accept: () => void) => void;
/** How it answers, if a random number is below the first one; otherwise with success. */
const FAULTS: [below: number, answer: Answer][] = [
  [0.12, (response) => response.writeHead(500).end()],
  [0.24, (_, request) => request.socket.destroy()],
  [0.34, (_, __, accept) => setTimeout(accept, SLOW_MS)],
  // The Worker gives up after 10 seconds.
  [0.36, () => undefined],
];

export class Receiver {
  readonly attempts: Attempt[] = [];
  readonly hooks: Hooks = new Map();
  isReliable = false;
  #onAccept = () => {};

  start(): ReturnType<typeof startReceiver> {
    return startReceiver(this.attempts, (attempt: Attempt, response, request) => {
      try {
        verify(this.hooks.get(attempt.path)?.secret ?? "", attempt);
      } catch (error) {
        attempt.error = String(error);
      }
      const accept = () => {
        if (request.socket.destroyed) return;
        attempt.isAccepted = true;
        response.writeHead(204).end(this.#onAccept);
      };
      const random = this.isReliable ? 1 : Math.random();
      const [, answer = accept] = FAULTS.find(([below]) => random < below) ?? [];
      answer(response, request, accept);
    });
  }

  /** Waits until the answer to the next event was sent. The Worker has not stored it yet. */
  nextAccepted(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAccept = resolve;
    });
  }
}
