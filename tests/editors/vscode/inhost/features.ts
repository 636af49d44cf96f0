/** What the providers answer for a program beside an interrupted run (the folder is made by the test that starts this). */

import * as assert from "node:assert/strict";
import * as vscode from "vscode";

const folder = vscode.workspace.workspaceFolders![0]!.uri;
const program = vscode.Uri.joinPath(folder, "payments.agent");
const run = process.env["AGENTL_TEST_RUN"]!;

let document: vscode.TextDocument;
let original: string;

/** Resolves with the first value of `look` that `enough` accepts, looking again at every change of diagnostics. */
function diagnosticsWhen(enough: (codes: string[]) => boolean): Promise<vscode.Diagnostic[]> {
  const look = (): vscode.Diagnostic[] => vscode.languages.getDiagnostics(program);
  const codes = (found: vscode.Diagnostic[]): string[] => found.map(code).sort();
  return new Promise((resolve) => {
    const check = (): boolean => {
      const found = look();
      if (enough(codes(found))) resolve(found);
      return enough(codes(found));
    };
    if (check()) return;
    const subscription = vscode.languages.onDidChangeDiagnostics(() => {
      if (check()) subscription.dispose();
    });
  });
}

function code(diagnostic: vscode.Diagnostic): string {
  const { code } = diagnostic;
  return String(typeof code === "object" ? code.value : code);
}

function wordAt(range: vscode.Range): string {
  return document.getText(range);
}

function placeOf(text: string): vscode.Position {
  const offset = document.getText().indexOf(text);
  assert.notEqual(offset, -1, text);
  return document.positionAt(offset);
}

async function insert(before: string, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(program, placeOf(before), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** Makes the text what it was before. */
async function restore(text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(program, new vscode.Range(0, 0, document.lineCount, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

async function lenses(): Promise<vscode.CodeLens[]> {
  return vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", program);
}

async function hints(): Promise<string[]> {
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const found = await vscode.commands.executeCommand<vscode.InlayHint[]>("vscode.executeInlayHintProvider", program, whole);
  return found.map(({ label }) => (typeof label === "string" ? label : label.map((part) => part.value).join("")));
}

async function hover(text: string): Promise<string> {
  const found = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", program, placeOf(text));
  return found.flatMap(({ contents }) => contents.map((part) => (typeof part === "string" ? part : part.value))).join("\n");
}

describe("a program beside an interrupted run", () => {
  before(async () => {
    document = await vscode.workspace.openTextDocument(program);
    await vscode.window.showTextDocument(document);
    assert.equal(document.languageId, "agentl");
    original = document.getText();
    await diagnosticsWhen((codes) => codes.length > 0);
  });

  it("has a warning on the tool that may end in doubt, with its host function beside it", async () => {
    const [found, ...others] = await diagnosticsWhen((codes) => codes.includes("D201"));
    assert.deepEqual(others, []);
    assert.equal(wordAt(found!.range), "notify");
    assert.equal(found!.severity, vscode.DiagnosticSeverity.Warning);
    assert.equal(found!.source, "agentl");
    assert.deepEqual(
      found!.relatedInformation?.map(({ location }) => location.uri.path.split("/").at(-1)),
      ["payments.py"],
    );
  });

  it("has a fix for it that inserts the rule", async () => {
    const [found] = await diagnosticsWhen((codes) => codes.includes("D201"));
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      program,
      found!.range,
      vscode.CodeActionKind.QuickFix.value,
    );
    const [fix] = actions.filter(({ title }) => title.startsWith("Add NEVER notify"));
    const inserted = fix!.edit!.get(program).map(({ newText }) => newText.trim());
    assert.deepEqual(inserted, ["NEVER notify WHEN tools.notify.in_doubt == true"]);
  });

  it("has lenses whose commands the server knows", async () => {
    const found = await lenses();
    assert.deepEqual(
      found.map(({ command }) => command?.command),
      ["agentl.run", "agentl.resume", "agentl.inspect"],
    );
    const known = await vscode.commands.getCommands();
    for (const { command } of found) assert.ok(known.includes(command!.command));
    assert.match(found[1]!.command!.title, new RegExp(`^↻ Resume ${run} \\(interrupted · 5 entries · 1 open intent\\)$`));
    assert.deepEqual(new Set(found.map(({ range }) => range.start.line)), new Set([placeOf("AGENT payments").line]));
  });

  it("has hints at calls, observed paths and rules", async () => {
    assert.deepEqual(await hints(), [
      "= 1 (t1)",
      '= {id: "order-7", account: "NL-0042", amount: 250} (t1)',
      "✓ applied 1× (tick 1)",
      "queue.pending = 1 (t1)",
      "… open intent (t1)",
    ]);
  });

  it("has a hover on the call, the tool, the path and the reserved word", async () => {
    const call = await hover("transfer(order");
    for (const part of ["tick 1", "order-7", "open intent", "DEFAULT ALLOW", "promise: none"]) assert.match(call, new RegExp(part));
    assert.match(await hover("transfer {"), /bank\.ledger/);
    assert.match(await hover("queue.pending"), /`1` \(t1\)/);
    assert.match(await hover("NEVER transfer"), /NEVER/);
  });

  it("says that an edit ends the run, on the changed declaration, until the edit is undone", async () => {
    await insert("queue.next.amount)", "2 * ");
    const found = (await diagnosticsWhen((codes) => codes.includes("R101"))).filter((one) => code(one) === "R101");
    assert.deepEqual(found.map(({ range }) => wordAt(range)), ["pay"]);
    assert.match(found[0]!.message, new RegExp(`^run ${run} cannot resume: the program changed`));
    assert.match(found[0]!.message, /amount=2 \* queue\.next\.amount/);
    await restore(original);
    await diagnosticsWhen((codes) => codes.join() === "D201");
  });

  it("says nothing about comments and layout", async () => {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(program, placeOf("STEP send"), "// look twice\n\n    ");
    edit.insert(program, placeOf("RISK HIGH"), "\n    ");
    assert.ok(await vscode.workspace.applyEdit(edit));
    // once the edit of the plan is answered, so are the two before it
    await insert("queue.next.amount)", "2 * ");
    const found = await diagnosticsWhen((codes) => codes.includes("R101"));
    assert.deepEqual(found.map((one) => [code(one), wordAt(one.range)]).sort(), [
      ["D201", "notify"],
      ["R101", "pay"],
    ]);
    await restore(original);
    await diagnosticsWhen((codes) => codes.join() === "D201");
  });

  it("has an error where the text is wrong, and none once it is right again", async () => {
    await insert("0 }", "== ");
    const found = await diagnosticsWhen((codes) => codes.some((one) => one.startsWith("S")));
    const [error] = found.filter((one) => code(one).startsWith("S"));
    assert.equal(error!.severity, vscode.DiagnosticSeverity.Error);
    assert.equal(wordAt(error!.range), "==");
    await restore(original);
    await diagnosticsWhen((codes) => codes.join() === "D201");
  });

  it("follows the run when it is resumed", async () => {
    await document.save();
    const [, resume] = await lenses();
    await vscode.commands.executeCommand(resume!.command!.command, ...resume!.command!.arguments!);
    const ended = async (): Promise<boolean> => (await lenses()).some(({ command }) => command?.title.endsWith("(completed)"));
    while (!(await ended())) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok((await hints()).includes("⚠ in doubt (t1) · ⛔ NEVER l.30 (t2)"));
    const doubt = (await lenses()).at(-1)!;
    assert.equal(doubt.command?.title, "in doubt since tick 1");
    assert.equal(doubt.range.start.line, placeOf("TOOL transfer").line);
  });
});
