import { findNearestWord } from '../../model/nearest-word.ts';
import { CUSTOM_KINDS } from '../custom-resources/crds.ts';
import { type ManifestFinding, quoteUnlessName } from '../finding.ts';
import { SUPERSEDED } from '../manifests/kinds.ts';
import type { ManifestObject } from '../manifests/manifest-object.ts';
import { apiVersionOf, type CustomKind } from '../schema/custom-kind.ts';

type Claimed = Pick<ManifestObject, 'apiVersion' | 'kind'>;

export type Served =
  | { readonly outcome: 'ours'; readonly kind: CustomKind }
  /** A kind of another vendor, which the API server may or may not serve. */
  | { readonly outcome: 'foreign' }
  | { readonly outcome: 'not-served'; readonly finding: ManifestFinding };

/** Finds the kind of ours that an object claims to be. */
export function findServedKind(claimed: Claimed): Served {
  const kind = CUSTOM_KINDS.find((one) => one.kind === claimed.kind && apiVersionOf(one) === claimed.apiVersion);
  if (kind) return { outcome: 'ours', kind };
  const group = claimed.apiVersion.split('/').at(-2) ?? '';
  const isInOurGroup = CUSTOM_KINDS.some((one) => one.group === group);
  const isOurName = CUSTOM_KINDS.some((one) => one.kind === claimed.kind);
  return isInOurGroup || (isOurName && isKubernetesOwn(group))
    ? { outcome: 'not-served', finding: notServed(claimed, group) }
    : { outcome: 'foreign' };
}

/** True if we serve the kind and version of the object. */
export const isServed = (claimed: Claimed): boolean => findServedKind(claimed).outcome === 'ours';

/**
 * Groups of Kubernetes itself, whose kinds are known. Other groups may also have a kind called
 * NodePool.
 */
const isKubernetesOwn = (group: string): boolean => !group.includes('.') || group.endsWith('.k8s.io');

function notServed({ apiVersion, kind }: Claimed, group: string): ManifestFinding {
  const successor = SUPERSEDED.get(`${group}/${kind}`);
  const same = CUSTOM_KINDS.find((one) => one.kind === kind);
  const meant = findNearestWord(
    kind,
    CUSTOM_KINDS.map((one) => one.kind),
  );
  const expected = same ?? CUSTOM_KINDS.find((one) => one.kind === (successor ?? meant));
  return {
    code: 'rule-refused',
    rule: 'served',
    path: [same ? 'apiVersion' : 'kind'],
    what: `no kind ${quoteUnlessName(kind)} in ${quoteUnlessName(apiVersion)}`,
    why: expected ? `${expected.kind} is served as ${apiVersionOf(expected)}` : 'the group has no such kind',
    fix:
      successor || isConverted(apiVersion)
        ? '`mortise convert` rewrites what came before v1'
        : `write ${same ? apiVersionOf(same) : (expected?.kind ?? CUSTOM_KINDS.map((one) => one.kind).join(', '))}`,
  };
}

/** True for the versions that `mortise convert` reads. */
const isConverted = (apiVersion: string): boolean =>
  /^karpenter\.(?:sh|k8s\.aws)\/v1(?:alpha|beta)\d+$/.test(apiVersion);
