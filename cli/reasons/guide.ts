/** The explanation of a reason for a user, beside its sentence. */
export interface ReasonGuide {
  readonly meaning: string;
  /** The usual causes; empty if the reason reports an action. */
  readonly causes: readonly string[];
  /** Actions of a user that help; empty if nothing is to be done. */
  readonly fixes: readonly string[];
}
