/** The suite that runs inside the extension host. Its results go to the file that AGENTL_TEST_RESULTS names. */

import { writeFileSync } from "node:fs";
import Mocha = require("mocha");

interface Result {
  title: string;
  error: string | null;
}

/** VS Code calls this and reports a rejection as a failure. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 180_000 });
  mocha.suite.emit("pre-require", globalThis as unknown as Mocha.MochaGlobals, "", mocha);
  await import("./features.js");
  const results: Result[] = [];
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on("pass", (test) => results.push({ title: test.fullTitle(), error: null }))
      .on("fail", (test, error: Error) => results.push({ title: test.fullTitle(), error: error.stack ?? error.message }));
  });
  writeFileSync(process.env["AGENTL_TEST_RESULTS"] ?? "", JSON.stringify(results));
  if (failures > 0) throw new Error(`${failures} failed`);
}
