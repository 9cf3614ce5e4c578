/** A client of the Chrome DevTools protocol for the isolates of a workerd process. */

interface Isolate {
  id: string;
  webSocketDebuggerUrl: string;
}

/** Connects to the isolate of the Worker with this name, and to the other isolates of its process. */
export async function openInspector(port: number, name: string) {
  const found = await fetch(`http://127.0.0.1:${port}/json`);
  const isolates = (await found.json()) as Isolate[];
  const clients = await Promise.all(
    isolates.map(async ({ id, webSocketDebuggerUrl }) => ({ id, ...(await connect(webSocketDebuggerUrl)) })),
  );
  const own = clients.find(({ id }) => id === `core:user:${name}`);
  if (!own) throw new Error("The inspector does not list the Worker's isolate.");
  return {
    own,
    others: clients.filter((client) => client !== own),
    close: () => {
      for (const { close } of clients) close();
    },
  };
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, (result: unknown) => void>();
  let sent = 0;
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return {
    send: <Result>(method: string, params: object = {}) =>
      new Promise<Result>((resolve) => {
        waiting.set(++sent, resolve as (result: unknown) => void);
        socket.send(JSON.stringify({ id: sent, method, params }));
      }),
    close: () => socket.close(),
  };
}
