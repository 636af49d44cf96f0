/** Journals shown as read-only documents. An open one follows its run. */

import * as vscode from "vscode";
import type { VirtualDocuments } from "./documents";
import { isJournalText, type JournalText } from "./protocol";
import type { Runs } from "./runs";

/** Asks the server for the journal of a run directory. */
export type AskForJournal = (directory: string) => Promise<unknown>;

const followDelayMs = 200;
const beside = vscode.ViewColumn.Beside;

export class Journals implements vscode.Disposable {
  private readonly addresses = new Map<string, vscode.Uri>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly documents: VirtualDocuments,
    private readonly ask: AskForJournal,
    private readonly log: vscode.LogOutputChannel,
    runs: Runs,
  ) {
    this.subscription = runs.onDidChange((run) => this.follow(run.directory));
  }

  async show(directory: string, journal: JournalText): Promise<void> {
    const address = this.documents.address(journal.title, directory);
    this.addresses.set(directory, address);
    if (journal.languageId === "markdown") await this.documents.showRendered(address, journal.text, beside);
    else await this.documents.show(address, journal.text, journal.languageId, beside);
  }

  dispose(): void {
    this.subscription.dispose();
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  /** Asks once for a burst of changes, and only while somebody looks. */
  private follow(directory: string): void {
    const address = this.addresses.get(directory);
    if (!address || !this.documents.isOpen(address) || this.timers.has(directory)) return;
    const timer = setTimeout(() => {
      this.timers.delete(directory);
      void this.refresh(directory, address);
    }, followDelayMs);
    this.timers.set(directory, timer);
  }

  private async refresh(directory: string, address: vscode.Uri): Promise<void> {
    try {
      const journal = await this.ask(directory);
      if (isJournalText(journal)) this.documents.update(address, journal.text);
    } catch (error) {
      this.log.warn(`The journal of ${directory} could not be read again: ${String(error)}`);
    }
  }
}
