import type { EpochMs } from '../model/time.ts';

/** What one sweep leaves to the next. */
export interface SweepNotes {
  /** When the first sweep found nothing here: what runs longer than that, this table never knew. */
  readonly tableSince: EpochMs;
  /** Instances that nothing accounts for, by provider id: since when that is seen. */
  readonly unexplained: Readonly<Record<string, EpochMs>>;
  /** Until then a person has confirmed that many instances may be ended together. */
  readonly confirmedUntil?: EpochMs;
}

export interface SweepBook {
  /** Absent: there was no sweep yet. */
  read(): Promise<SweepNotes | undefined>;
  write(notes: SweepNotes): Promise<void>;
}
