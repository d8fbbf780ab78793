/** What expressions of a NodeClass's kubelet may know of an instance type. */
export interface NodeSize {
  readonly instanceType: string;
  readonly vcpus: number;
  /** As advertised. */
  readonly memoryMib: number;
  /** Interfaces of the default network card. */
  readonly enis: number;
  /** The interface's own address included. */
  readonly ipsPerEni: number;
  /** For `maxPods` itself the usual number of pods; for all else the one that holds. */
  readonly maxPods: number;
}

/** What an expression comes to, as a whole number. Absent: it cannot be computed for this size. */
export type ComputeSize = (expression: string, size: NodeSize) => number | undefined;
