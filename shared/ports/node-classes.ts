import type { WrittenEC2NodeClass } from '../api/ec2-node-class.ts';
import type { NodeClassResolution } from '../model/resolved-node-class.ts';

/** An EC2NodeClass as it was written, with what it stood for then. Launches go by it. */
export interface ResolvedNodeClass extends NodeClassResolution {
  readonly written: WrittenEC2NodeClass;
}

/** The record of resolved classes. */
export interface NodeClasses {
  /** Absent: never resolved, or gone. */
  find(name: string): Promise<ResolvedNodeClass | undefined>;
  /** In the order of their names. */
  list(): Promise<readonly ResolvedNodeClass[]>;
  /** Stores it, unless what is there was resolved later. */
  save(resolved: ResolvedNodeClass): Promise<void>;
  /** No error if absent. */
  remove(name: string): Promise<void>;
}
