/** Something that is wrong with an object, or that works in another way than it may look. */
export interface JudgedProblem {
  /** Id of the rule, such as `NP-05`, or what the schema says: `required`, `enum`. */
  readonly rule: string;
  /** An error refuses the object. */
  readonly severity: 'error' | 'warning';
  /** Who tells: the API server when the object is written, or a controller that finds it. */
  readonly stage: 'admission' | 'runtime';
  /** `spec.limits.cpu`; empty for the whole object. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly why: string;
  readonly fix: string;
}

/** One object of a file, with the verdict that an API server would give. */
export interface JudgedObject {
  readonly file: string;
  /** 1-based line where it begins. */
  readonly line: number;
  /** 1-based number of its document in the file. */
  readonly document: number;
  /** Absent: the text cannot be read that far. */
  readonly kind?: string;
  readonly name?: string;
  readonly verdict: 'accepted' | 'refused';
  readonly problems: readonly JudgedProblem[];
}
