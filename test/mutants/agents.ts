/** Mutants of the tools for agents. */
import type { Mutant } from "./mutant.ts";

export const agents: Mutant[] = [
  {
    name: "a site whose host contains that of this service can call the tools",
    file: "src/mcp/routes.ts",
    search: "origin !== null && origin !== url.origin",
    replace: "origin !== null && !origin.includes(url.host)",
    tests: ["test/mcp/protocol.test.ts"],
  },
  {
    name: "an operator's token of one app lists the tools of operators",
    file: "src/mcp/routes.ts",
    search: " && user.onlyApp === null",
    replace: "",
    tests: ["test/mcp/tools.test.ts"],
  },
  {
    name: "the name of a tool in Base64 does not agree with the body",
    file: "src/mcp/protocol.ts",
    search: 'decode(headers.get("mcp-name"))',
    replace: 'headers.get("mcp-name")',
    tests: ["test/mcp/protocol.test.ts"],
  },
  {
    name: "a token that was reset during a call is a result",
    file: "src/mcp/routes.ts",
    search: '!(error instanceof AppError) || error.code === "unauthorized"',
    replace: "!(error instanceof AppError)",
    tests: ["test/mcp/protocol.test.ts", "test/mcp/tools.test.ts"],
  },
  {
    name: "an argument that is null is the text null",
    file: "src/mcp/tools.ts",
    search: "Object.entries(sent).filter(([, value]) => value !== null)",
    replace: "Object.entries(sent)",
    tests: ["test/mcp/tools.test.ts", "test/mcp/protocol.test.ts"],
  },
];
