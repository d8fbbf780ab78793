/** The parts of Karpenter's surface that are compared. */
export const FACT_KINDS = ['field', 'gate', 'setting', 'key', 'condition', 'event', 'metric', 'label'] as const;

export type FactKind = (typeof FACT_KINDS)[number];

/** One thing of the surface: a field of a CRD, a gate, a metric. Equal surfaces have equal facts. */
export interface Fact {
  readonly kind: FactKind;
  readonly name: string;
  /** The rest that can differ: a type or bound, a default, labels. */
  readonly value: string;
}
