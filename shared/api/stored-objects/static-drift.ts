import type { Labels } from '../../model/labels.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';
import { staticHash } from '../static-hash.ts';
import { readEC2NodeClass, type WrittenEC2NodeClass } from './ec2-node-class.ts';

/** A static hash, as annotations record it. */
export interface StaticHash {
  readonly hash?: string;
  /** The version of the hash function. Hashes of different versions cannot be compared. */
  readonly version?: string;
}

/**
 * A version that Karpenter never uses: when we take over its nodes, the annotations change and no
 * node drifts.
 */
export const HASH_VERSION = 's1';

/**
 * Computes the hash of the fields that the nodes of a class are launched with, and of the cluster's
 * certificate. Returns `undefined` if this release cannot read the class.
 */
export function computeClassHash(
  name: string,
  written: WrittenEC2NodeClass,
  certificateAuthority: string,
): Required<StaticHash> | undefined {
  const reading = readEC2NodeClass(name, written);
  if (reading.outcome !== 'read') return undefined;
  const hash = staticHash({ classHash: reading.value.hash, certificateAuthority });
  return { hash, version: HASH_VERSION };
}

/** True if a claim was created from an older version of its pool or class. */
export const isStaticDrift = (parent: StaticHash, child: StaticHash): boolean =>
  parent.hash !== undefined &&
  child.hash !== undefined &&
  parent.version !== undefined &&
  parent.version === child.version &&
  parent.hash !== child.hash;

/**
 * Returns the hash for a claim whose hash has an older version: that of its parent. A claim that
 * has already drifted keeps its hash, and so stays drifted.
 */
export function migrateHash(
  parent: Required<StaticHash>,
  child: StaticHash,
  { isDrifted }: { readonly isDrifted: boolean },
): StaticHash {
  if (child.version === parent.version) return child;
  if (!isDrifted) return parent;
  return { ...child, version: parent.version };
}

/**
 * True if a claim's labels no longer satisfy the requirements of its pool. Wider requirements cause
 * no drift.
 */
export const isRequirementsDrift = (requirements: readonly RequirementSpec[], labels: Labels): boolean =>
  !matchesLabels(toRequirements(requirements), labels);
