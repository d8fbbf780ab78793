import type { Labels } from '../../model/labels.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { NodeOverlay } from '../../model/offerings/node-overlay.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Storage } from '../../model/pods/storage.ts';
import type { PodDisruptionBudget, Service, Workload } from '../../model/pods/workload.ts';
import type { WrittenBuffer } from '../stored-objects/capacity-buffer.ts';

/** A text with Kubernetes manifests, and the file name for error messages. */
export interface ManifestSource {
  readonly file: string;
  readonly text: string;
}

/** A problem of a manifest: what, where, why and how to correct it. */
export interface ManifestProblem {
  /** `yaml-syntax`, `unknown-operator`, …: cli/errors.ts has the complete list. */
  readonly code: string;
  readonly what: string;
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** 1-based number of the document in its file. */
  readonly document: number;
  /** `NodePool general`, if the object could be identified. */
  readonly object?: string;
  /** `spec.template.spec.requirements[0].operator`. */
  readonly path?: string;
  readonly why: string;
  readonly fix: string;
}

export interface SkippedManifest {
  readonly file: string;
  readonly kind: string;
  readonly name: string;
  /** `undefined` if a simulated cluster has no such kind. */
  readonly cause?: SkipCause;
  /** The zone or region of a Node, by its labels or its provider id; `undefined` for other kinds. */
  readonly location?: string;
}

/** Why an object of a kind that is read has no effect on a simulated cluster. */
export type SkipCause =
  /** Another object of the files creates it anyway. */
  | { readonly why: 'owned' }
  /** A pod or Job that has ended. */
  | { readonly why: 'ended' }
  | { readonly why: 'being-deleted' }
  /** A static pod: the kubelet of its node runs it. */
  | { readonly why: 'static' }
  | { readonly why: 'other-scheduler'; readonly scheduler: string }
  /** A NodePool of another autoscaler. */
  | { readonly why: 'other-node-class'; readonly nodeClass: string };

/** The initial state of a simulated cluster. */
export interface ClusterManifests {
  readonly pools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly workloads: readonly Workload[];
  /** Pods without an owner. */
  readonly pods: readonly Pod[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** `undefined` if there are none. */
  readonly services?: readonly Service[];
  /** `undefined` if there are none. They count only if their feature gate is on. */
  readonly overlays?: readonly NodeOverlay[];
  /** `undefined` if there are none. They count only if their feature gate is on. */
  readonly buffers?: readonly WrittenBuffer[];
  /** `undefined` if the files contain none. Volumes then count as reachable from every node. */
  readonly storage?: Storage;
  /** Labels of all namespaces, by name; `undefined` for only those of pods and workloads. */
  readonly namespaces?: Readonly<Record<string, Labels>>;
  /** Objects of kinds that are not read, listed so that they can be reported. */
  readonly skipped: readonly SkippedManifest[];
  /** `undefined` if there are none. */
  readonly warnings?: readonly ManifestProblem[];
}

export type ManifestReading =
  | { readonly outcome: 'read'; readonly manifests: ClusterManifests }
  | { readonly outcome: 'refused'; readonly problems: readonly ManifestProblem[] };
