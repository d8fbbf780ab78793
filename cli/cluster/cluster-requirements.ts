/**
 * Older API servers lack stable match conditions of webhooks (1.30), or read all pods from etcd for each
 * list with a limit or a selector.
 *
 * @see Kubernetes, feature gate `ConsistentListFromCache`
 */
export const MIN_MINOR_VERSION = 31;

/** True for a version like `1.30` that is older than what we need. */
export const isTooOld = (version: string): boolean => Number(version.split('.')[1]) < MIN_MINOR_VERSION;

/** The command that gives a cluster access entries, which functions and nodes need. */
export const enableAccessEntries = (cluster: string): string =>
  `aws eks update-cluster-config --name ${cluster} --access-config authenticationMode=API_AND_CONFIG_MAP`;
