/** What has become of a NodeOverlay or a CapacityBuffer. */
export interface ExtensionStatus {
  readonly kind: 'NodeOverlay' | 'CapacityBuffer';
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** Of what was judged. */
  readonly generation: number;
  /** Fields of the status beside its conditions. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly conditions: readonly ExtensionCondition[];
}

export interface ExtensionCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}
