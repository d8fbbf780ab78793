import type { EC2NodeClass } from '../../model/node-class.ts';
import type { ResolvedNodeClass } from '../../ports/node-classes.ts';

/** A class that nodes can be made of now. */
export interface LaunchableClass {
  readonly resolved: ResolvedNodeClass;
  /** `resolved.written`, as instance types see it. */
  readonly nodeClass: EC2NodeClass;
}

/** Absent: there is no such class, or it is not ready. */
export type FindNodeClass = (name: string) => Promise<LaunchableClass | undefined>;
