import type { HookToken } from './hook-tokens.ts';

/** What answers the hooks. */
export interface HookIntake {
  /** From when this resolves on, these tokens open, and no others. */
  admit(tokens: readonly HookToken[]): Promise<void>;
}
