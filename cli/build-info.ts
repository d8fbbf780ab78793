/** The commit that a package was built from, and the day of that commit. */
export interface BuildInfo {
  readonly commit: string;
  /** Such as `2026-11-22`. */
  readonly date: string;
}

/** Undefined in a clone; `npm run package` replaces this module. */
export const BUILD_INFO: BuildInfo | undefined = undefined;
