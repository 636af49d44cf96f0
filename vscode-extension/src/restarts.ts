/** Runs one piece of work at a time. */

/**
 * Restarts come in bursts (a setting, a new interpreter, a person): one is in flight and at most one is queued, and the
 * queued one starts after the last request, so that it sees everything that was asked for.
 */
export class OneAtATime {
  private inFlight: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly work: () => Promise<void>) {}

  /** Resolves when a run of the work that began after this call has ended. */
  request(): Promise<void> {
    if (!this.inFlight) return this.begin();
    this.queued ??= this.inFlight.then(() => this.begin());
    return this.queued;
  }

  private begin(): Promise<void> {
    this.queued = undefined;
    this.inFlight = this.work().finally(() => {
      this.inFlight = undefined;
    });
    return this.inFlight;
  }
}
