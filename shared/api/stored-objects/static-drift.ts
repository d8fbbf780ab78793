import type { Labels } from '../../model/labels.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import { matchesLabels, toRequirements } from '../../model/requirements/requirements.ts';
import { staticHash } from '../static-hash.ts';
import { readEC2NodeClass, type WrittenEC2NodeClass } from './ec2-node-class.ts';

/** What annotations say of a static hash. */
export interface StaticHash {
  readonly hash?: string;
  /** How it was made: hashes of different versions say nothing of each other. */
  readonly version?: string;
}

/** One that Karpenter never uses: taking a fleet over moves the marks and drifts no node. */
export const HASH_VERSION = 's1';

/**
 * The marks of what a class's nodes are made by: its own fields, and the certificate that nodes know
 * the cluster by. Absent: this release cannot read the class.
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

/** Whether a claim was made of what its pool, or its class, no longer says. */
export const isStaticDrift = (parent: StaticHash, child: StaticHash): boolean =>
  parent.hash !== undefined &&
  child.hash !== undefined &&
  parent.version !== undefined &&
  parent.version === child.version &&
  parent.hash !== child.hash;

/**
 * The marks that a claim gets when hashes are made in another way than its own was: those of its
 * parent. What counts as drifted already keeps its hash, and so stays it.
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

/** Whether a claim is of a kind that its pool no longer asks for; wider requirements drift nothing. */
export const isRequirementsDrift = (
  requirements: readonly RequirementSpec[],
  labels: Labels,
): boolean => !matchesLabels(toRequirements(requirements), labels);
