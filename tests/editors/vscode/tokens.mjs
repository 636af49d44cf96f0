// Reads a JSON list of lines from stdin; prints for each the list of [text, innermost scope], as VS Code finds them.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const extension = new URL("../../../vscode-extension/", import.meta.url);
const require = createRequire(new URL("package.json", extension));
const oniguruma = require("vscode-oniguruma");
const { INITIAL, parseRawGrammar, Registry } = require("vscode-textmate");

await oniguruma.loadWASM((await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"))).buffer);
const file = new URL("syntaxes/agentl.tmLanguage.json", extension);
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => parseRawGrammar(await readFile(file, "utf8"), file.pathname),
});
const grammar = await registry.loadGrammar("source.agentl");

let state = INITIAL;
const found = JSON.parse(await readFile("/dev/stdin", "utf8")).map((line) => {
  const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
  state = ruleStack;
  return tokens
    .map(({ startIndex, endIndex, scopes }) => [line.slice(startIndex, endIndex).trim(), scopes.at(-1)])
    .filter(([text]) => text !== "");
});
console.log(JSON.stringify(found));
