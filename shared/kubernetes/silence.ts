/** Something that talks, and whether it has said what it had to. */
export interface Silence {
  heard(): void;
  /** It will not say anything any more. */
  end(): void;
  /** Settles once it has been silent for a while, or has gone on for too long. */
  readonly come: Promise<void>;
}

export const SILENT: Silence = { heard: () => {}, end: () => {}, come: Promise.resolve() };

export function awaitSilence({ forMs, mostMs }: { forMs: number; mostMs: number }): Silence {
  let end = (): void => {};
  const come = new Promise<void>((resolve) => {
    end = resolve;
  });
  const finish = (): void => {
    clearTimeout(quiet);
    clearTimeout(last);
    end();
  };
  const quiet = setTimeout(finish, forMs);
  const last = setTimeout(finish, mostMs);
  return { heard: () => quiet.refresh(), end: finish, come };
}
