import type { Labels } from '../../model/labels.ts';
import type { EC2NodeClass } from '../../model/nodes/node-class.ts';
import type { NodePool } from '../../model/nodes/node-pool.ts';
import type { NodeOverlay } from '../../model/offerings/node-overlay.ts';
import type { Pod } from '../../model/pods/pod.ts';
import type { Storage } from '../../model/pods/storage.ts';
import type { PodDisruptionBudget, Service, Workload } from '../../model/pods/workload.ts';
import type { WrittenBuffer } from '../stored-objects/capacity-buffer.ts';

/** A text that holds Kubernetes manifests, with the name that errors should show. */
export interface ManifestSource {
  readonly file: string;
  readonly text: string;
}

/** Something wrong with a manifest: what, where, why and how to mend it. */
export interface ManifestProblem {
  /** `yaml-syntax`, `unknown-operator`, …: see cli/errors.ts for the whole list. */
  readonly code: string;
  readonly what: string;
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** 1-based number of the document in its file. */
  readonly document: number;
  /** `NodePool general`, when it got that far. */
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
}

/** All that a simulated cluster starts with. */
export interface ClusterManifests {
  readonly pools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly workloads: readonly Workload[];
  /** Pods written by hand, without an owner. */
  readonly pods: readonly Pod[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Absent: none. */
  readonly services?: readonly Service[];
  /** Absent: none. Their feature gate says whether they count. */
  readonly overlays?: readonly NodeOverlay[];
  /** Absent: none. Their feature gate says whether they count. */
  readonly buffers?: readonly WrittenBuffer[];
  /** Absent: the files hold none, and volumes are taken to be within reach everywhere. */
  readonly storage?: Storage;
  /** Labels by name, of every namespace that is mentioned; absent: those of pods and workloads. */
  readonly namespaces?: Readonly<Record<string, Labels>>;
  /** Kinds that are not read, named so that nobody misses them. */
  readonly skipped: readonly SkippedManifest[];
}

export type ManifestReading =
  | { readonly outcome: 'read'; readonly manifests: ClusterManifests }
  | { readonly outcome: 'refused'; readonly problems: readonly ManifestProblem[] };
