/** The routes of KV, R2 and Queues. */
import { randomUUID } from "node:crypto";
import { ApiError, page, route } from "./account.ts";

const newId = () => randomUUID().replaceAll("-", "");

export const storageRoutes = [
  route(/^GET \/storage\/kv\/namespaces$/, ({ account, query }) => page(account.namespaces, query)),
  route<{ title: string }>(/^POST \/storage\/kv\/namespaces$/, ({ account, body: { title } }) => {
    if (account.namespaces.some((one) => one.title === title))
      throw new ApiError(400, 10014, "A namespace with this account ID and title already exists.");
    const created = { id: newId(), title };
    account.namespaces.push(created);
    return created;
  }),

  route(/^GET \/r2\/buckets$/, ({ account }) => ({ buckets: account.buckets.map((name) => ({ name })) })),
  route<{ name: string }>(/^POST \/r2\/buckets$/, ({ account, body }) => {
    account.buckets.push(body.name);
    return {};
  }),
  route(/^GET \/r2\/buckets\/([^/]+)$/, ({ account, id: name }) => {
    if (account.buckets.includes(name)) return { name };
    throw new ApiError(404, 10006, "The specified bucket does not exist.");
  }),
  route(/^GET \/r2\/buckets\/[^/]+\/objects\/.*$/, () => Buffer.from("an object")),
  route(/^PUT \/r2\/buckets\/[^/]+\/lifecycle$/, () => null),
  route(/^GET \/r2\/buckets\/[^/]+\/lifecycle$/, () => ({ rules: [] })),

  route(/^GET \/queues$/, ({ account, query }) => {
    const name = query.get("name");
    return page(account.queues, query).filter((one) => !name || one.queue_name === name);
  }),
  route<{ queue_name: string }>(/^POST \/queues$/, ({ account, body: { queue_name } }) => {
    const created = { queue_id: newId(), queue_name, producers: [], consumers: [] };
    account.queues.push(created);
    return created;
  }),
  route(/^GET .*\/consumers$/, () => []),
  route(/^POST .*\/consumers$/, () => ({})),
];
