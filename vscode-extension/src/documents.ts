/** Read-only documents that exist in the editor alone: journals and debug information. */

import * as vscode from "vscode";

export const scheme = "agentl";

export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly subscriptions: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor() {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  /** Returns the address of the document about `subject`; the title is what its tab says. */
  address(title: string, subject: string): vscode.Uri {
    return vscode.Uri.from({ scheme, path: `/${title.replace(/[\\/]/g, "-")}.md`, query: subject });
  }

  isOpen(uri: vscode.Uri): boolean {
    return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  }

  update(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
  }

  async show(uri: vscode.Uri, text: string, languageId: string, viewColumn: vscode.ViewColumn): Promise<void> {
    this.update(uri, text);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, languageId);
    await vscode.window.showTextDocument(document, { viewColumn, preview: true });
  }

  /** Shows a Markdown document as it reads, not as it is written; "Reopen Editor With…" shows the text. */
  async showRendered(uri: vscode.Uri, text: string, viewColumn: vscode.ViewColumn): Promise<void> {
    this.update(uri, text);
    await vscode.commands.executeCommand("vscode.openWith", uri, "vscode.markdown.preview.editor", viewColumn);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}
